internal import Glibc

/// The system calls that bucketfs makes, one function for each, and the only place that calls libc.
///
/// Names are bytes, without a NUL and not terminated. Each function throws the errno of its call. A call that a signal
/// interrupts is repeated, since no caller here can do anything better; the exceptions say so.
package enum System {
  /// Makes one system call: asks the fault plan, repeats on EINTR, and turns −1 into the errno.
  @inline(__always)
  static func call<Result: SignedInteger>(
    _ name: SystemCall, _ body: () -> Result
  ) throws(Errno) -> Result {
    // No errno is 0, so that there is always a result.
    try call(name, unless: Errno(rawValue: 0), body)!
  }

  /// The same, nil where the call fails with `expected`.
  @inline(__always)
  static func call<Result: SignedInteger>(
    _ name: SystemCall, unless expected: Errno, _ body: () -> Result
  ) throws(Errno) -> Result? {
    #if FAULT_INJECTION
      do throws(Errno) {
        try FaultPlan.check(name)
      } catch  where error == expected {
        return nil
      }
    #endif
    while true {
      let result = body()
      if result != -1 { return result }
      let reason = Errno.current
      if reason == expected { return nil }
      if reason != .interrupted { throw reason }
    }
  }

  /// Hands `body` the bytes of `name` with a NUL behind them.
  ///
  /// Throws EINVAL where `name` holds a NUL itself: the kernel would see another name than the caller meant.
  @inline(__always)
  static func withCString<Result>(
    _ name: Span<UInt8>, _ body: (UnsafePointer<CChar>) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) {
      buffer -> Swift.Result<Result, Errno> in
      let start = buffer.baseAddress!
      name.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { memcpy(start, source, bytes.count) }
      }
      start[name.count] = 0
      guard strlen(start) == name.count else { return .failure(.invalidArgument) }
      do throws(Errno) {
        return .success(try body(start))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// Hands `body` the path by which the kernel reaches an open file, also one opened with O_PATH or already unlinked.
  @inline(__always)
  static func withProcPath<Result>(
    _ descriptor: Descriptor, _ body: (UnsafePointer<CChar>) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    var path: InlineArray<32, CChar> = procPathPrefix
    var digits = 1
    var rest = descriptor.rawValue / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    var position = procPathPrefixLength + digits
    rest = descriptor.rawValue
    while position > procPathPrefixLength {
      position -= 1
      path[position] = CChar(truncatingIfNeeded: 48 + rest % 10)
      rest /= 10
    }
    return try withUnsafePointer(to: &path) { pointer throws(Errno) in
      try pointer.withMemoryRebound(to: CChar.self, capacity: 32) { start throws(Errno) in try body(start) }
    }
  }

  /// "/proc/self/fd/", padded with NULs for the number to come.
  private static var procPathPrefix: InlineArray<32, CChar> {
    [
      47, 112, 114, 111, 99, 47, 115, 101, 108, 102, 47, 102, 100, 47, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
  }
  private static var procPathPrefixLength: Int { 14 }
}
