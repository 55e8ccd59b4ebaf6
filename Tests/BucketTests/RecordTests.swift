import Bucket
import SystemCalls
import Testing

@Suite("A record")
struct RecordTests {
  @Test("comes back from its encoding as it was", arguments: Sample.all)
  func roundTrip(_ record: Record) throws {
    let bytes = record.encoded()
    #expect(try Record(decoding: bytes.span) == record)
  }

  @Test("of pins alone is at most 64 bytes, whatever the numbers")
  func pinsFitTheInode() {
    var record = Sample.pinsOnly
    record.version = StoredVersion(
      generation: UInt64(Int64.max), metageneration: UInt64(UInt32.max), updated: UInt64(Int64.max),
      pin: Pin(size: UInt64(Int64.max), modified: Timestamp(seconds: .min, nanoseconds: 999_999_999)))
    #expect(record.encoded().count <= 64)
    #expect(Sample.pinsOnly.encoded().count <= 54)
  }

  @Test("is seen without a copy as it is decoded", arguments: Sample.all)
  func viewAgrees(_ record: Record) throws {
    let bytes = record.encoded()
    let view = try RecordView(validating: bytes.span)
    #expect(view.version == record.version)
    #expect(view.md5IsProvisional == record.md5IsProvisional)
    #expect(view.overflow == nil)
    for property in StoredProperty.allCases {
      #expect(view.range(of: property).map { Array(bytes[$0]) } == record.value(property))
      #expect(view.isRemoved(property) == (record[property] == .removed))
    }
    #expect(view.customCount == record.custom.count)
    for entry in record.custom {
      let key = entry.key
      #expect(view.customValue(key.span, in: bytes.span).map { Array(bytes[$0]) } == entry.value)
    }
    let missing = Sample.bytes("missing")
    #expect(view.customValue(missing.span, in: bytes.span) == nil)
  }

  @Test("split in two comes back whole", arguments: [Sample.jpeg, Sample.everything, Sample.large])
  func split(_ record: Record) throws {
    let name = Sample.bytes(String(repeating: "0123456789abcdef", count: 4))
    let head = record.encodedHead(overflow: name)
    let bytes = head + record.encodedOverflow()
    var view = try RecordView(validating: head.span)
    #expect(view.overflow.map { Array(head[$0]) } == name)
    #expect(throws: RecordError.damaged) { try Record(decoding: head.span) }
    try view.attachOverflow(in: bytes.span, from: head.count)
    #expect(view.overflow == nil)
    #expect(Record(view, in: bytes.span) == record)
  }

  @Test("keeps keys apart that Swift strings would take for one")
  func bytesNotStrings() throws {
    var record = Sample.pinsOnly
    record.setCustom(CustomEntry(key: Array("caf\u{e9}".utf8), value: [1]))
    record.setCustom(CustomEntry(key: Array("cafe\u{301}".utf8), value: [2]))
    record.setCustom(CustomEntry(key: [0x63, 0x61, 0x66, 0xe9], value: [3]))
    let bytes = record.encoded()
    #expect(try Record(decoding: bytes.span) == record)
    #expect(record.custom.count == 3)
  }

  @Test("stores no removal but that of the type, since nothing else is derived")
  func removals() {
    var record = Sample.pinsOnly
    record[.cacheControl] = .removed
    #expect(record[.cacheControl] == .unset)
    record[.contentType] = .removed
    #expect(record[.contentType] == .removed)
  }
}
