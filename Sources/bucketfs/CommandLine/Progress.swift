internal import SystemCalls

/// How far long work has come, on a terminal: one line on standard error that is written over. Elsewhere nothing.
final class Progress {
  private let what: String
  private let total: UInt64?
  private let isShown: Bool
  private let start = Clock.monotonic
  private var done: UInt64 = 0
  private var shownAt: UInt64
  private var isWritten = false

  /// - Parameters:
  ///   - what: what is counted.
  ///   - total: how much there is to do, where it is known.
  init(_ what: String, total: UInt64? = nil) {
    self.what = what
    self.total = total
    isShown = System.isTerminal(Descriptor(rawValue: 2))
    shownAt = start
  }

  /// Counts what was done.
  func count(_ number: UInt64 = 1) {
    done += number
    guard isShown else { return }
    let now = Clock.monotonic
    guard now - shownAt > 100_000_000 else { return }
    shownAt = now
    isWritten = true
    System.writeStandardError("\r\u{1b}[K" + line(seconds: Double(now - start) / 1e9))
  }

  /// Takes the line away.
  func end() {
    if isWritten { System.writeStandardError("\r\u{1b}[K") }
    isWritten = false
  }

  private func line(seconds: Double) -> String {
    let rate = Double(done) / max(seconds, 0.001)
    guard let total, total > 0 else { return "\(done) \(what), \(Int(rate))/s" }
    let share = min(1, Double(done) / Double(total))
    let bar = String(repeating: "#", count: Int(share * 30)) + String(repeating: ".", count: 30 - Int(share * 30))
    let left = rate > 0 ? Int(Double(total - min(done, total)) / rate) : 0
    return "[\(bar)] \(Int(share * 100))% of \(total) \(what), \(Int(rate))/s, \(left / 60) min \(left % 60) s left"
  }
}
