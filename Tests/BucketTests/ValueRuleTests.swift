import Bucket
import Testing

@Suite("A value of a fixed property")
struct ValueRuleTests {
  /// Why `rule` refuses the value, nil where it takes it.
  private func refusal(_ rule: ValueRule, _ value: [UInt8]) -> ValueError? {
    do throws(ValueError) {
      try rule.check(value.span)
      return nil
    } catch {
      return error
    }
  }

  private func refusal(_ rule: ValueRule, _ value: String) -> ValueError? {
    refusal(rule, Array(value.utf8))
  }

  @Test("is text of 1 to 4,096 bytes")
  func textLength() {
    #expect(refusal(.text, "") == .empty)
    #expect(refusal(.text, "a") == nil)
    #expect(refusal(.text, String(repeating: "a", count: 4096)) == nil)
    #expect(refusal(.text, String(repeating: "a", count: 4097)) == .tooLong(limit: 4096))
    // Bytes count, not characters.
    #expect(refusal(.text, String(repeating: "é", count: 2048)) == nil)
    #expect(refusal(.text, String(repeating: "é", count: 2049)) == .tooLong(limit: 4096))
  }

  @Test("holds no control character", arguments: Array(UInt8(0)...0x1f) + [0x7f])
  func controlCharacter(_ byte: UInt8) {
    #expect(refusal(.text, [0x61, byte, 0x61]) == .controlCharacter)
    #expect(refusal(.text, [byte]) == .controlCharacter)
  }

  @Test("may hold what only looks like one", arguments: [" ", "~", "\u{80}", "\u{9f}", "Zürich ✓ %41", "\u{1f600}"])
  func noControlCharacter(_ text: String) {
    #expect(refusal(.text, text) == nil)
  }

  @Test(
    "is valid UTF-8",
    arguments: [
      [0xff], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xc0, 0x80], [0xc1, 0xbf], [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80], [0x80],
    ] as [[UInt8]])
  func notUTF8(_ bytes: [UInt8]) {
    #expect(refusal(.text, bytes) == .notUTF8)
  }

  @Test(
    "is a media type",
    arguments: [
      "image/jpeg", "TEXT/HTML", "a/b", "application/vnd.api+json", "text/html;charset=utf-8",
      "text/html; charset=utf-8",
      "text/html ; charset=\"utf-8\"", "text/plain;a=\"b;\\\"c\"", "text/plain; a=b; c=d", "text/plain;",
      "text/plain; ;a=b", "text/plain;a=\"\"", "x-a!#$%&'*+-.^_`|~/x", "text/plain;a=\"é\"",
    ])
  func mediaType(_ text: String) {
    #expect(refusal(.mediaType, text) == nil)
  }

  @Test(
    "is no media type",
    arguments: [
      "image", "image/", "/jpeg", "image/jpeg/x", "image /jpeg", "image/ jpeg", " image/jpeg", "image/jpeg ",
      "image/jp eg",
      "a/b;c", "a/b;c=", "a/b;=c", "a/b;c =d", "a/b;c= d", "a/b;c=\"d", "a/b;c=\"d\\", "a/b;c=d e", "a/b,c/d", "é/b",
      "a/b c=d",
      "a/b;c=\"d\"e",
    ])
  func noMediaType(_ text: String) {
    #expect(refusal(.mediaType, text) == .malformed(.mediaType))
  }

  @Test("is a list of codings", arguments: ["gzip", "gzip, br", "gzip,br", "gzip ,br", "x-a_b"])
  func codings(_ text: String) {
    #expect(refusal(.tokens, text) == nil)
  }

  @Test(
    "is no list of codings", arguments: [",", "gzip,", ",gzip", "gzip,,br", "gz ip", "gzip;q=1", "g/zip", "\u{e9}"])
  func noCodings(_ text: String) {
    #expect(refusal(.tokens, text) == .malformed(.tokens))
  }

  @Test(
    "is a list of languages",
    arguments: [
      "en", "de-CH", "zh-Hant-TW", "en, de-CH", "en,fr", "x-private", "i-klingon", "de-CH-1996", "en-a-bbb-x-a",
      "sl-rozaj-biske",
      "abcdefgh-12345678",
    ])
  func languages(_ text: String) {
    #expect(refusal(.languageTags, text) == nil)
  }

  @Test(
    "is no list of languages",
    arguments: [
      "e", "en_US", "en-", "-en", "en--US", "abcdefghi", "en-123456789", "1a", "en,", ",en", "en;q=1", "x", "en-a", "*",
      "é", "en US",
    ])
  func noLanguages(_ text: String) {
    #expect(refusal(.languageTags, text) == .malformed(.languageTags))
  }

  @Test("has at most 100 characters of languages")
  func languageLength() {
    let tags = Array(repeating: "en", count: 33).joined(separator: ",")
    #expect(tags.utf8.count == 98)
    #expect(refusal(.languageTags, tags + "  ") == nil)
    #expect(refusal(.languageTags, tags + "   ") == .tooLong(limit: 100))
    // Characters count, not bytes.
    #expect(refusal(.languageTags, String(repeating: "é", count: 100)) == .malformed(.languageTags))
    #expect(refusal(.languageTags, String(repeating: "é", count: 101)) == .tooLong(limit: 100))
  }

  @Test("is a digest", arguments: ["XrY7u+Ae7tCTyyK7j1rNww==", "AAAAAAAAAAAAAAAAAAAAAA==", "/////////////////////w=="])
  func digest(_ text: String) {
    #expect(refusal(.digest, text) == nil)
  }

  @Test(
    "is no digest",
    arguments: [
      "XrY7u+Ae7tCTyyK7j1rNww=", "XrY7u+Ae7tCTyyK7j1rNww", "XrY7u+Ae7tCTyyK7j1rNwwA=", "XrY7u+Ae7tCTyyK7j1rNx===",
      "XrY7u+Ae7tCTyyK7j1rNww==\u{20}", "XrY7u-Ae7tCTyyK7j1rNww==", "5eb63bbbe01eeed093cb22bb8f5acdc3", "====",
      "XrY7u+Ae7tCTyyK7j1rNwx==",
    ])
  func noDigest(_ text: String) {
    #expect(refusal(.digest, text) == .malformed(.digest))
  }
}
