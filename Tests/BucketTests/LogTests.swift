import SystemCalls
import Testing

@testable import Bucket

@Suite("The log", .serialized)
struct LogTests {
  /// What reaches the sink of a test, from any thread.
  final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  private func logged(_ level: Log.Level, _ format: Log.Format, _ body: () -> Void) -> [String] {
    let lines = Lines()
    Log.configure(level: level, format: format, sink: .custom { lines.add($0) })
    defer { Log.configure(level: .warning) }
    body()
    // Other tests may log at the same time.
    return lines.lines.filter { $0.contains("hash") }
  }

  @Test("writes at most one line of a kind in a second and counts the others")
  func rateLimit() {
    let lines = logged(.info, .text) {
      for number in 0..<5 { Log.write(.warning, .hash, "number \(number)") }
    }
    #expect(lines == ["bucketfs: warning: hash: number 0"])
  }

  @Test("leaves out what is below its level")
  func level() {
    #expect(logged(.error, .text) { Log.write(.warning, .hash, "hash") } == [])
  }

  @Test("keeps each event on one line, whatever a file is called")
  func oneLine() {
    #expect(logged(.info, .text) { Log.write(.error, .hash, "a\nb") } == ["bucketfs: error: hash: a b"])
    let json = logged(.info, .json) { Log.write(.error, .hash, "a\n\"b\\") }
    #expect(json.count == 1)
    #expect(json[0].hasSuffix(#""level":"error","kind":"hash","message":"a\u000a\"b\\"}"#))
  }
}
