/// Writes CBOR items in the deterministic encoding.
///
/// Source: RFC 8949, section 4.2.1.
struct CBORWriter {
  /// What was written.
  private(set) var bytes: [UInt8] = []

  /// Writes an item's first bytes: the shortest that hold `number`.
  mutating func head(_ major: CBORReader.Major, _ number: UInt64) {
    let kind = major.rawValue << 5
    guard number >= 24 else {
      bytes.append(kind | UInt8(number))
      return
    }
    let (announced, width): (UInt8, Int) =
      switch number {
      case ...0xff: (24, 1)
      case ...0xffff: (25, 2)
      case ...0xffff_ffff: (26, 4)
      default: (27, 8)
      }
    bytes.append(kind | announced)
    for place in (0..<width).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(place * 8)))
    }
  }

  /// Writes a number.
  mutating func unsigned(_ number: UInt64) {
    head(.unsigned, number)
  }

  /// Writes a number with its sign.
  mutating func signed(_ number: Int64) {
    if number < 0 {
      head(.negative, UInt64(-1 - number))
    } else {
      head(.unsigned, UInt64(number))
    }
  }

  /// Writes a text string where `content` is UTF-8, else a byte string.
  mutating func string(_ content: [UInt8]) {
    head(content.span.isUTF8 ? .text : .bytes, UInt64(content.count))
    bytes += content
  }

  /// Writes bytes that are encoded already.
  mutating func append(contentsOf encoded: [UInt8]) {
    bytes += encoded
  }

  /// Writes the head of a map of `count` entries.
  mutating func map(_ count: Int) {
    head(.map, UInt64(count))
  }

  /// Writes `true`.
  mutating func yes() {
    bytes.append(0xf5)
  }

  /// Writes `null`.
  mutating func null() {
    bytes.append(0xf6)
  }

  /// Writes the byte string of the checksum of all before its four bytes.
  mutating func checksum() {
    head(.bytes, 4)
    let sum = Checksum.of(bytes.span)
    for place in (0..<4).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: sum >> UInt32(place * 8)))
    }
  }
}
