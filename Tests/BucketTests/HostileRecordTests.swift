import Bucket
import SystemCalls
import Testing

/// Bytes that are no record, among them such as only a forger makes: each must be refused, none may crash.
@Suite("Hostile bytes")
struct HostileRecordTests {
  private func refuses(_ bytes: [UInt8]) -> Bool {
    (try? RecordView(validating: bytes.span)) == nil
  }

  @Test("cut at any byte are refused", arguments: Sample.all)
  func truncations(_ record: Record) {
    let bytes = record.encoded()
    for length in 0..<bytes.count {
      #expect(refuses(Array(bytes[..<length])))
    }
  }

  @Test("with any one bit flipped are refused", arguments: [Sample.pinsOnly, Sample.jpeg, Sample.everything])
  func bitFlips(_ record: Record) {
    let bytes = record.encoded()
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(refuses(flipped), "bit \(bit)")
    }
  }

  @Test("with anything behind a record are refused")
  func trailingBytes() {
    let bytes = Sample.jpeg.encoded()
    #expect(refuses(bytes + [0]))
    #expect(refuses(bytes + bytes))
  }

  @Test("of a later version are told apart from damage")
  func newerVersion() {
    var forged = Forgery()
    forged.items[0].value = [0x02]
    let bytes = forged.sealed
    #expect(throws: RecordError.newerVersion) { try RecordView(validating: bytes.span) }
  }

  /// A well-sealed map that is built item by item, to be wrong in one place.
  struct Forgery {
    var items: [(key: [UInt8], value: [UInt8])] = [
      ([0x00], [0x01]), ([0x01], [0x18, 0x64]), ([0x02], [0x02]), ([0x03], [0x18, 0x64]), ([0x04], [0x00]),
      ([0x05], [0x00]), ([0x06], [0x00]),
    ]

    /// The map's first byte, if not the right one.
    var head: UInt8?

    var sealed: [UInt8] {
      let head = head ?? 0xa0 | UInt8(items.count + 1)
      var bytes = [head]
      for item in items { bytes += item.key + item.value }
      bytes += [0x17, 0x44]
      let sum = crc32(bytes)
      for place in (0..<4).reversed() { bytes.append(UInt8(truncatingIfNeeded: sum >> UInt32(place * 8))) }
      return bytes
    }

    /// CRC-32 once more, from its definition.
    private func crc32(_ bytes: [UInt8]) -> UInt32 {
      ~bytes.reduce(UInt32.max) { sum, byte in
        (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1) * 0xedb8_8320 }
      }
    }

    mutating func add(_ key: [UInt8], _ value: [UInt8]) {
      items.append((key, value))
    }
  }

  @Test("sealed as they should be are accepted, so that the refusals below are for their one fault")
  func theForgeryItself() throws {
    let bytes = Forgery().sealed
    #expect(try RecordView(validating: bytes.span).generation == 100)
  }

  @Test("with one fault under a right checksum are refused", arguments: faults)
  func forgeries(_ fault: Fault) {
    var forged = Forgery()
    fault.commit(&forged)
    #expect(refuses(forged.sealed))
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let commit: @Sendable (inout Forgery) -> Void

    init(_ description: String, _ commit: @escaping @Sendable (inout Forgery) -> Void) {
      testDescription = description
      self.commit = commit
    }
  }

  static let faults = [
    Fault("a number that is longer than it need be") { $0.items[1].value = [0x19, 0x00, 0x64] },
    Fault("a short number in two bytes") { $0.items[4].value = [0x18, 0x00] },
    Fault("a key that is longer than it need be") { $0.items[4].key = [0x18, 0x04] },
    Fault("a number of 64 bits") { $0.items[4].value = [0x1b] + Array(repeating: 0xff, count: 8) },
    Fault("an mtime beyond 64 bits") { $0.items[5].value = [0x3b] + Array(repeating: 0xff, count: 8) },
    Fault("a second's worth of nanoseconds") { $0.items[6].value = [0x1a, 0x3b, 0x9a, 0xca, 0x00] },
    Fault("a generation of 0") { $0.items[1].value = [0x00] },
    Fault("a metageneration of 0") { $0.items[2].value = [0x00] },
    Fault("a negative size") { $0.items[4].value = [0x20] },
    Fault("a text for a number") { $0.items[4].value = [0x61, 0x30] },
    Fault("a reserved head") { $0.items[4].value = [0x1c] },
    Fault("a float") { $0.items[4].value = [0xf9, 0x00, 0x00] },
    Fault("a tag") { $0.items[4].value = [0xc1, 0x00] },
    Fault("keys in the wrong order") { $0.items.swapAt(2, 3) },
    Fault("a key twice") { $0.items[3].key = [0x02] },
    Fault("a missing key") { $0.items.remove(at: 3) },
    Fault("an unknown key") { $0.add([0x10], [0x00]) },
    Fault("a negative key") { $0.add([0x20], [0x00]) },
    Fault("a text as key") { $0.add([0x61, 0x61], [0x00]) },
    Fault("a version of 0") { $0.items[0].value = [0x00] },
    Fault("more entries announced than there are") { $0.head = 0xa9 },
    Fault("fewer entries announced than there are") { $0.head = 0xa7 },
    Fault("no entries announced") { $0.head = 0xa0 },
    Fault("a map of indefinite length") { $0.head = 0xbf },
    Fault("an array for the map") { $0.head = 0x88 },
    Fault("an empty text") { $0.add([0x09], [0x60]) },
    Fault("a text beyond the end") { $0.add([0x09], [0x78, 0x40, 0x61]) },
    Fault("a text of 2^63 bytes") { $0.add([0x09], [0x7b, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x61]) },
    Fault("a text of 2^64-1 bytes") { $0.add([0x09], [0x7b] + Array(repeating: 0xff, count: 8)) },
    Fault("a text of 4,097 bytes") { $0.add([0x09], [0x79, 0x10, 0x01] + Array(repeating: 0x61, count: 4097)) },
    Fault("a text of indefinite length") { $0.add([0x09], [0x7f, 0x61, 0x61, 0xff]) },
    Fault("a text that is not UTF-8") { $0.add([0x09], [0x61, 0xff]) },
    Fault("a text with a newline") { $0.add([0x09], [0x63, 0x61, 0x0a, 0x62]) },
    Fault("a text with a NUL") { $0.add([0x0a], [0x62, 0x61, 0x00]) },
    Fault("a byte string for a text") { $0.add([0x09], [0x41, 0x61]) },
    Fault("a removal of what is not derived") { $0.add([0x0a], [0xf6]) },
    Fault("a removal by undefined") { $0.add([0x09], [0xf7]) },
    Fault("a provisional digest without a digest") { $0.add([0x08], [0xf5]) },
    Fault("a digest that is provisionally false") {
      $0.add([0x07], [0x61, 0x61])
      $0.add([0x08], [0xf4])
    },
    Fault("an empty map of custom metadata") { $0.add([0x0e], [0xa0]) },
    Fault("an empty key") { $0.add([0x0e], [0xa1, 0x60, 0x60]) },
    Fault("custom keys in the wrong order") { $0.add([0x0e], [0xa2, 0x61, 0x62, 0x60, 0x61, 0x61, 0x60]) },
    Fault("a custom key twice") { $0.add([0x0e], [0xa2, 0x61, 0x61, 0x60, 0x61, 0x61, 0x60]) },
    Fault("bytes as key that are UTF-8") { $0.add([0x0e], [0xa1, 0x41, 0x61, 0x60]) },
    Fault("bytes as value that are UTF-8") { $0.add([0x0e], [0xa1, 0x61, 0x61, 0x41, 0x61]) },
    Fault("a number as value") { $0.add([0x0e], [0xa1, 0x61, 0x61, 0x01]) },
    Fault("2^64-1 custom entries") { $0.add([0x0e], [0xbb] + Array(repeating: 0xff, count: 8)) },
    Fault("more custom entries than bytes") { $0.add([0x0e], [0xb9, 0x20, 0x00, 0x61, 0x61, 0x60]) },
    Fault("a key of 1,025 bytes") {
      $0.add([0x0e], [0xa1, 0x79, 0x04, 0x01] + Array(repeating: 0x61, count: 1025) + [0x60])
    },
    Fault("a value of 4,097 bytes") {
      $0.add([0x0e], [0xa1, 0x61, 0x61, 0x79, 0x10, 0x01] + Array(repeating: 0x61, count: 4097))
    },
    Fault("8,193 bytes of custom metadata") {
      let value = [0x79, 0x0f, 0xff] + [UInt8](repeating: 0x61, count: 4095)
      $0.add([0x0e], [0xa3, 0x61, 0x61] + value + [0x61, 0x62] + value + [0x61, 0x63, 0x60])
    },
    Fault("a path as the overflow file's name") { $0.add([0x0f], [0x6b] + Array("../../../ab".utf8)) },
    Fault("an overflow file's name in capitals") {
      $0.add([0x0f], [0x78, 0x40] + Array(repeating: UInt8(ascii: "A"), count: 64))
    },
    Fault("an overflow file's name of 63 digits") {
      $0.add([0x0f], [0x78, 0x3f] + Array(repeating: UInt8(ascii: "a"), count: 63))
    },
    Fault("an overflow file's name with a slash") {
      $0.add([0x0f], [0x78, 0x40] + Array(repeating: UInt8(ascii: "a"), count: 63) + [UInt8(ascii: "/")])
    },
    Fault("a property beside an overflow file") {
      $0.add([0x09], [0x61, 0x61])
      $0.add([0x0f], [0x78, 0x40] + Array(repeating: UInt8(ascii: "a"), count: 64))
    },
  ]

  @Test("at random, sealed or not, never crash the reader")
  func noise() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = Sample.everything.encoded()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = refuses(bytes)
    }
  }
}
