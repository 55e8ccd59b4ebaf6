/// Strings of JSON that stand by themselves; objects are made by `JSONWriter`.
enum JSONText {
  /// The string, or null; bytes that are not UTF-8 as U+FFFD.
  static func value(_ bytes: [UInt8]?) -> String {
    guard let bytes else { return "null" }
    return string(String(decoding: bytes, as: UTF8.self))
  }

  /// The text in quotation marks.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..."\u{1f}": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
