import Bucket
import SystemCalls
import Testing

@Suite("The text of a value")
struct FormatTests {
  @Test(
    "of a time is RFC 3339 with three digits of a second's fraction",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (1, "1970-01-01T00:00:00.000Z"),
      (999, "1970-01-01T00:00:00.000Z"),
      (1000, "1970-01-01T00:00:00.001Z"),
      (999_999, "1970-01-01T00:00:00.999Z"),
      (1_000_000, "1970-01-01T00:00:01.000Z"),
      (86_399_999_999, "1970-01-01T23:59:59.999Z"),
      (86_400_000_000, "1970-01-02T00:00:00.000Z"),
      (951_782_399_000_000, "2000-02-28T23:59:59.000Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000Z"),
      (951_868_800_000_000, "2000-03-01T00:00:00.000Z"),
      (1_769_848_200_123_000, "2026-01-31T08:30:00.123Z"),
      (1_769_848_200_120_999, "2026-01-31T08:30:00.120Z"),
      (4_107_542_399_999_999, "2100-02-28T23:59:59.999Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000_000, "9999-12-31T23:59:59.999Z"),
      (UInt64(Int64.max), "9999-12-31T23:59:59.999Z"),
      (UInt64.max, "9999-12-31T23:59:59.999Z"),
    ] as [(UInt64, String)])
  func time(_ microseconds: UInt64, _ text: String) {
    #expect(appended { $0.append(rfc3339: microseconds) } == text)
  }

  @Test("of a time has each day of four hundred years once and in order")
  func days() {
    var expected = (year: 1970, month: 1, day: 1)
    for day in 0..<UInt64(146_097) {
      let text = appended { $0.append(rfc3339: day * 86_400_000_000) }
      let parts = text.prefix(10).split(separator: "-").compactMap { Int($0) }
      guard parts == [expected.year, expected.month, expected.day] else {
        Issue.record("day \(day) is \(text), not \(expected)")
        return
      }
      expected = next(expected)
    }
  }

  private func next(_ date: (year: Int, month: Int, day: Int)) -> (year: Int, month: Int, day: Int) {
    let isLeap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if date.day < lengths[date.month - 1] { return (date.year, date.month, date.day + 1) }
    return date.month < 12 ? (date.year, date.month + 1, 1) : (date.year + 1, 1, 1)
  }

  @Test("of a number is decimal", arguments: [0, 9, 10, 4096, UInt64.max])
  func decimal(_ number: UInt64) {
    #expect(appended { $0.append(decimal: number) } == "\(number)")
  }

  @Test("of a digest is base64, both ways")
  func base64() throws {
    // MD5 of "hello world" and of nothing, RFC 1321's own.
    for text in [
      "XrY7u+Ae7tCTyyK7j1rNww==", "1B2M2Y8AsgTpgAmY7PhCfg==", "AAAAAAAAAAAAAAAAAAAAAA==", "/////////////////////w==",
    ] {
      let digest = try #require(parsed(text))
      #expect(appended { $0.append(base64: digest) } == text)
    }
    let digest = try #require(parsed("XrY7u+Ae7tCTyyK7j1rNww=="))
    let bytes: [UInt8] = [
      0x5e, 0xb6, 0x3b, 0xbb, 0xe0, 0x1e, 0xee, 0xd0, 0x93, 0xcb, 0x22, 0xbb, 0x8f, 0x5a, 0xcd, 0xc3,
    ]
    let made = MD5Digest(bytes.span)
    #expect(digest == made)
    #expect((0..<16).map { digest[$0] } == bytes)
  }

  private func parsed(_ base64: String) -> MD5Digest? {
    let text = Array(base64.utf8)
    return MD5Digest(base64: text.span)
  }
}
