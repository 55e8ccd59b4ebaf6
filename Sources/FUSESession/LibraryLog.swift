internal import CFuse
internal import Glibc
internal import SystemCalls

/// What libfuse has to say: kept, so that it can be the reason in an error of ours instead of a line of its own.
enum LibraryLog {
  private static let line = Mutex("")
  /// libfuse writes a message in pieces, the last of which ends in a newline.
  private static let unfinished = Mutex("")

  /// The latest message, without its prefix and newline.
  static var last: String { line.withLock { $0 } }

  static func start() {
    fuse_set_log_func { _, format, arguments in
      guard let format, let arguments else { return }
      let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
        vsnprintf(buffer.baseAddress!, buffer.count, format, arguments)
        return String(cString: buffer.baseAddress!)
      }
      let message = LibraryLog.unfinished.withLock { unfinished -> String? in
        unfinished += text
        guard unfinished.hasSuffix("\n") else { return nil }
        defer { unfinished = "" }
        return String(unfinished.dropLast())
      }
      guard let message else { return }
      LibraryLog.line.withLock { $0 = message.hasPrefix("fuse: ") ? String(message.dropFirst(6)) : message }
    }
  }
}
