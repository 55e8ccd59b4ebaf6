/// One word of the command line: bytes, since paths and values need not be UTF-8.
struct Argument: Hashable, Sendable, ExpressibleByStringLiteral {
  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(stringLiteral value: String) {
    bytes = Array(value.utf8)
  }

  /// The word as text, for messages and for what is text anyway; other bytes show as U+FFFD.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The word without its first `count` bytes.
  func dropping(_ count: Int) -> Argument {
    Argument(bytes: Array(bytes.dropFirst(count)))
  }

  /// The word in two at its first `byte`, nil where it has none.
  func split(at byte: UInt8) -> (before: Argument, after: Argument)? {
    guard let place = bytes.firstIndex(of: byte) else { return nil }
    return (Argument(bytes: Array(bytes[..<place])), Argument(bytes: Array(bytes[(place + 1)...])))
  }
}
