internal import SystemCalls

/// What bucketfs says of itself to whoever runs it: one line for each event, at most one of a kind in a second.
package enum Log {
  /// How much an event matters.
  package enum Level: UInt8, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    /// The level's name, as options take it and lines show it.
    package var name: StaticString {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }

    /// The number that syslog(3) has for it.
    var priority: Int32 {
      switch self {
      case .debug: 7
      case .info: 6
      case .warning: 4
      case .error: 3
      }
    }

    package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// What an event is about: each kind has its own second.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case start, mount, passthrough, pin, takeOver, record, hash, request, credentials, watch, sandbox

    /// The kind's name in a line.
    package var name: StaticString {
      switch self {
      case .start: "start"
      case .mount: "mount"
      case .passthrough: "passthrough"
      case .pin: "pin"
      case .takeOver: "take-over"
      case .record: "record"
      case .hash: "hash"
      case .request: "request"
      case .credentials: "credentials"
      case .watch: "watch"
      case .sandbox: "sandbox"
      }
    }
  }

  /// How a line looks.
  package enum Format: Sendable {
    /// `bucketfs: warning: record: …`
    case text
    /// An object with `level`, `kind`, `message` and the time in seconds since 1970.
    case json
  }

  /// Where lines go.
  package enum Sink: Sendable {
    case standardError
    case syslog
    /// To whoever asks, for tests.
    case custom(@Sendable (String) -> Void)
  }

  private struct State {
    var level = Level.warning
    var format = Format.text
    var sink = Sink.standardError
    /// When a line of each kind was last written, in monotonic nanoseconds, and how many were not since.
    var last = InlineArray<16, UInt64>(repeating: 0)
    var suppressed = InlineArray<16, Int>(repeating: 0)
  }

  private static let state = Mutex(State())

  /// Says from which level on lines are written, how and where.
  package static func configure(level: Level, format: Format = .text, sink: Sink = .standardError) {
    state.withLock { state in
      state = State(level: level, format: format, sink: sink)
    }
  }

  /// Writes a line, unless its level is too low or one of its kind was written less than a second ago. The message is
  /// made only for a line that is written.
  package static func write(_ level: Level, _ kind: Kind, _ message: @autoclosure () -> String) {
    let now = Clock.monotonic
    let index = Int(kind.rawValue)
    let due = state.withLock { state -> (format: Format, sink: Sink, suppressed: Int)? in
      guard level >= state.level else { return nil }
      guard state.last[index] == 0 || now - state.last[index] >= 1_000_000_000 else {
        state.suppressed[index] += 1
        return nil
      }
      let suppressed = state.suppressed[index]
      state.last[index] = now
      state.suppressed[index] = 0
      return (state.format, state.sink, suppressed)
    }
    guard let due else { return }
    var text = message()
    if due.suppressed > 0 { text += " (and \(due.suppressed) more before)" }
    let line = render(level, kind, text, due.format)
    switch due.sink {
    case .standardError: System.writeStandardError(line + "\n")
    case .syslog: System.syslog(priority: level.priority, line)
    case .custom(let receive): receive(line)
    }
  }

  private static func render(_ level: Level, _ kind: Kind, _ message: String, _ format: Format) -> String {
    switch format {
    case .text:
      return "bucketfs: \(level.name): \(kind.name): \(message.map { $0.isNewline ? " " : String($0) }.joined())"
    case .json:
      var text = ""
      for scalar in message.unicodeScalars {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case "\u{0}"..."\u{1f}": text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        default: text.unicodeScalars.append(scalar)
        }
      }
      return #"{"time":\#(Clock.now.seconds),"level":"\#(level.name)","kind":"\#(kind.name)","message":"\#(text)"}"#
    }
  }
}
