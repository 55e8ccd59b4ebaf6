internal import SystemCalls

/// What values a writable fixed property takes, by bytes. All are to become HTTP headers.
package enum ValueRule: UInt8, Sendable {
  /// Any text without control characters.
  case text
  /// A media type with optional parameters, RFC 9110 section 8.3.1.
  case mediaType
  /// Content codings: tokens with commas between, RFC 9110 section 8.4.
  case tokens
  /// Language tags with commas between, in the shape of RFC 5646.
  case languageTags
  /// 16 bytes in base64.
  case digest

  /// Throws where `value` cannot be stored under this rule.
  package func check(_ value: Span<UInt8>) throws(ValueError) {
    guard value.count > 0 else { throw .empty }
    guard value.count <= Limits.value else { throw .tooLong(limit: Limits.value) }
    guard value.isUTF8 else { throw .notUTF8 }
    for index in value.indices where value[index] < 0x20 || value[index] == 0x7f { throw .controlCharacter }
    var scanner = TextScanner(value)
    let isWellFormed =
      switch self {
      case .text: true
      case .mediaType: scanner.scanMediaType() && scanner.isAtEnd
      case .tokens: scanner.scanList { scanner in scanner.scanToken() }
      case .languageTags: try Self.checkLanguages(value)
      case .digest: MD5Digest(base64: value) != nil
      }
    guard isWellFormed else { throw .malformed(self) }
  }

  /// Characters of a list of languages, as Cloud Storage has it.
  package static let languageLimit = 100

  private static func checkLanguages(_ value: Span<UInt8>) throws(ValueError) -> Bool {
    var characters = 0
    for index in value.indices where value[index] & 0xc0 != 0x80 { characters += 1 }
    guard characters <= languageLimit else { throw .tooLong(limit: languageLimit) }
    var scanner = TextScanner(value)
    return scanner.scanList { scanner in scanner.scanLanguageTag() }
  }

  /// What a value would have to be, to complete the sentence "not …".
  package var description: StaticString {
    switch self {
    case .text: "text"
    case .mediaType: "a media type, such as image/jpeg or text/html; charset=utf-8"
    case .tokens: "a list of content codings, such as gzip"
    case .languageTags: "a list of language tags, such as en or de-CH"
    case .digest: "16 bytes in base64, such as XrY7u+Ae7tCTyyK7j1rNww=="
    }
  }
}
