import CTestSupport
import SystemCalls

/// A path as bytes, since names on a mount need not be UTF-8.
package struct Path: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// Without the NUL at the end.
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  package init(stringLiteral value: String) {
    self.init(value)
  }

  /// The path as text; bytes that are not UTF-8 are shown as U+FFFD.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  /// What follows the last slash.
  package var lastComponent: String {
    String(decoding: bytes.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
  }

  /// What precedes the last slash.
  package var folder: Path {
    Path(bytes: Array(bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
  }

  /// Quoted for bash.
  package var quoted: String {
    "'" + description.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  /// The path of `name` in this folder.
  package static func / (folder: Path, name: Path) -> Path {
    Path(bytes: folder.bytes + [UInt8(ascii: "/")] + name.bytes)
  }

  /// The path of `name` beside this one, in the same folder.
  package func sibling(_ name: Path) -> Path {
    let folder = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[..<$0] } ?? []
    return Path(bytes: Array(folder)) / name
  }

  /// Calls `body` with the path as C takes it.
  func withCString<Result, Failure>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let terminated = bytes.map { CChar(bitPattern: $0) } + [0]
    return try terminated.withUnsafeBufferPointer { buffer throws(Failure) in try body(buffer.baseAddress!) }
  }
}

/// Turns the −1 of a system call into its errno.
@discardableResult
package func check<Number: SignedInteger>(_ call: () -> Number) throws(Errno) -> Number {
  let result = call()
  if result == -1 { throw Errno(rawValue: test_errno()) }
  return result
}
