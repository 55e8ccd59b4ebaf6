import SystemCalls

/// Values of fixed properties, with what becomes of them.
enum Value {
  /// Some values that a property takes, and some that it does not.
  static func some(of property: String) -> [[UInt8]] {
    let valid: [String] =
      switch property {
      case "md5Hash": ["AAECAwQFBgcICQoLDA0ODw==", "XrY7u+Ae7tCTyyK7j1rNww=="]
      case "contentType": ["image/png", "text/html; charset=utf-8"]
      case "contentEncoding": ["gzip", "gzip, br"]
      case "contentLanguage": ["en", "de-CH, fr"]
      default: ["no-store", "é ✓", String(repeating: "a", count: 4096)]
      }
    let invalid = ["", "a\nb", String(repeating: "a", count: 4097), "\u{7f}"]
    return valid.map { Array($0.utf8) } + valid.map { Array($0.utf8) } + invalid.map { Array($0.utf8) } + [[0xff]]
  }

  /// Why the value is refused; nil for one that is not. Knows the values above, and these alone.
  static func errno(_ value: [UInt8], of property: String) -> Errno? {
    if value.count > 4096 { return .argumentListTooLong }
    if value.isEmpty || value == [0xff] || value.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      return .invalidArgument
    }
    return nil
  }
}
