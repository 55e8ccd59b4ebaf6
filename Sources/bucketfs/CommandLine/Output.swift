internal import SystemCalls

/// Standard output, gathered into large writes. A reader that went away ends the command, as it does elsewhere.
struct Output: ~Copyable {
  private static let standardOutput = Descriptor(rawValue: 1)
  private var buffer = ByteBuffer(capacity: 1 << 16)

  /// Hands an output to `body` and writes what it gathered there, also when it throws.
  static func with(_ body: (inout Output) throws(Command.Failure) -> Void) throws(Command.Failure) {
    var output = Output()
    do throws(Command.Failure) {
      try body(&output)
    } catch {
      output.flush()
      throw error
    }
    output.flush()
  }

  /// Writes text at once.
  static func print(_ text: String) {
    write(Array(text.utf8).span)
  }

  mutating func append(_ bytes: Span<UInt8>) {
    if bytes.count > buffer.capacity - buffer.count { flush() }
    if bytes.count > buffer.capacity { return Self.write(bytes) }
    buffer.append(bytes)
  }

  mutating func append(_ bytes: [UInt8]) {
    append(bytes.span)
  }

  mutating func append(_ text: String) {
    append(Array(text.utf8).span)
  }

  mutating func append(_ byte: UInt8) {
    if buffer.count == buffer.capacity { flush() }
    buffer.append(byte)
  }

  /// Writes what was gathered.
  mutating func flush() {
    Self.write(buffer.span)
    buffer.removeAll()
  }

  private static func write(_ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    do throws(Errno) {
      try System.writeAll(standardOutput, bytes)
    } catch .brokenPipe {
      exit(code: 141)
    } catch {
      Command.complain("cannot write to standard output: \(error)")
      exit(code: 1)
    }
  }
}
