/// The name of an overflow file: the SHA-256 of its content in lower-case hex, and so never a path.
enum OverflowName {
  /// Bytes of each name.
  static let length = 64

  /// Whether `name` is one.
  static func isValid(_ name: Span<UInt8>) -> Bool {
    guard name.count == length else { return false }
    for position in 0..<length {
      switch name[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
      default: return false
      }
    }
    return true
  }
}
