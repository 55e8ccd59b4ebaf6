import Bucket
import SystemCalls
import Testing

/// Records that the tests start from.
enum Sample {
  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let version = StoredVersion(
    generation: 1_767_225_600_123_456, metageneration: 2, updated: 1_767_225_600_500_000,
    pin: Pin(size: 11, modified: Timestamp(seconds: 1_767_225_600, nanoseconds: 123_456_789)))

  /// Pins alone.
  static let pinsOnly = Record(version: version)

  /// The seed's example.
  static var jpeg: Record {
    var record = Record(version: version)
    record[.contentType] = .value(bytes("image/jpeg"))
    record[.cacheControl] = .value(bytes("public,max-age=300"))
    record.setCustom(CustomEntry(key: bytes("location"), value: bytes("Yosemite, CA, USA")))
    record.setCustom(CustomEntry(key: bytes("activity"), value: bytes("Hiking")))
    return record
  }

  /// Everything that a record can hold, with what no other program would call text.
  static var everything: Record {
    var record = Record(version: version)
    record.pin.modified = Timestamp(seconds: -1, nanoseconds: 0)
    record[.md5Hash] = .value(bytes("XUFAKrxLKna5cZ2REBfFkg=="))
    record.md5IsProvisional = true
    record[.contentType] = .removed
    record[.cacheControl] = .value(bytes("no-store"))
    record[.contentDisposition] = .value(bytes("attachment; filename=\"Zürich ✓.txt\""))
    record[.contentEncoding] = .value(bytes("gzip"))
    record[.contentLanguage] = .value(bytes("de-CH, en"))
    record.setCustom(CustomEntry(key: bytes("café"), value: bytes("Zürich ✓ %41")))
    record.setCustom(CustomEntry(key: [0xff, 0xfe], value: [0x00, 0xff]))
    record.setCustom(CustomEntry(key: bytes("size"), value: []))
    record.setCustom(CustomEntry(key: bytes("b"), value: bytes("1")))
    return record
  }

  /// Custom metadata at its limits: eight entries of 1,024 bytes.
  static var large: Record {
    var record = Record(version: version)
    for index in 0..<8 {
      record.setCustom(CustomEntry(key: bytes("key-\(index)"), value: Array(repeating: 0x61, count: 1019)))
    }
    return record
  }

  static let all = [pinsOnly, jpeg, everything, large]
}

extension Record: CustomTestStringConvertible {
  /// A line instead of the bytes.
  public var testDescription: String { "a record of \(encoded().count) bytes" }
}
