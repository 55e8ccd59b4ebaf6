@testable import Bucket
import SystemCalls

/// The record codec: any bytes as an xattr's record and as an overflow file, as they are and with the checksum mended,
/// without which the fuzzer would get no further than to it.
struct CodecTarget: FuzzTarget {
  private let head: [UInt8]

  init() throws {
    let record = Record(
      version: StoredVersion(
        generation: 2, metageneration: 1, updated: 2,
        pin: Pin(size: 3, modified: Timestamp(seconds: 1, nanoseconds: 5))))
    head = record.encodedHead(overflow: [UInt8](repeating: UInt8(ascii: "a"), count: OverflowName.length))
  }

  func run(_ input: [UInt8]) {
    check(input)
    let mended = Self.mended(input)
    check(mended)
    checkOverflow(mended)
  }

  /// The same with the last seven bytes replaced by what a record ends with.
  private static func mended(_ input: [UInt8]) -> [UInt8] {
    guard input.count > 7 else { return input }
    let body = input.dropLast(6) + [0x17, 0x44]
    let sum = Checksum.of(Array(body).span)
    return body + (0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> UInt32($0 * 8)) }
  }

  private func check(_ bytes: [UInt8]) {
    let view: RecordView
    do throws(RecordError) {
      view = try RecordView(validating: bytes.span)
    } catch {
      demand((try? Record(decoding: bytes.span)) == nil, "a record was decoded of which the view says \(error)")
      return
    }
    guard let record = try? Record(decoding: bytes.span) else {
      demand(view.overflow != nil, "a whole record is valid to its view and cannot be decoded")
      return
    }
    demand(view.overflow == nil, "the head of a split record was decoded as a whole one")
    let encoded = record.encoded()
    demand(encoded == bytes, "a record has two encodings")
    demand((try? Record(decoding: encoded.span)) == record, "a record changed by being encoded and decoded")
    compare(view, record, bytes)
  }

  private func checkOverflow(_ part: [UInt8]) {
    let bytes = head + part
    guard var view = try? RecordView(validating: head.span) else { return demand(false, "a head cannot be read") }
    guard (try? view.attachOverflow(in: bytes.span, from: head.count)) != nil else { return }
    let record = Record(view, in: bytes.span)
    demand(record.encodedOverflow() == part, "an overflow file has two encodings")
    compare(view, record, bytes)
  }

  private func compare(_ view: RecordView, _ record: Record, _ bytes: [UInt8]) {
    demand(view.version == record.version, "view and record have different versions")
    demand(view.md5IsProvisional == record.md5IsProvisional, "view and record differ in what is provisional")
    for property in StoredProperty.allCases {
      demand(view.range(of: property).map { Array(bytes[$0]) } == record.value(property), "they differ in \(property)")
      demand(view.isRemoved(property) == (record[property] == .removed), "they differ in \(property)'s removal")
    }
    var count = 0
    view.forEachCustom(in: bytes.span) { key, value in
      count += 1
      let key = bytes[key]
      demand(record.customValue(Array(key).span) == Array(bytes[value]), "they differ in a custom value")
      demand(view.customValue(Array(key).span, in: bytes.span) == value, "a view does not find its entry")
    }
    demand(count == record.custom.count && count == view.customCount, "they differ in the number of entries")
    demand(record.customTotal <= Limits.customTotal, "a record holds too much custom metadata")
  }
}
