internal import SystemCalls

extension RecordView {
  /// Which map is parsed.
  enum Part {
    /// The xattr: a whole record or the head of a split one.
    case attribute
    /// An overflow file.
    case overflow
  }

  /// Checks the map that fills `bytes` from `start` and notes what it holds.
  mutating func parse(_ bytes: Span<UInt8>, from start: Int, _ part: Part) throws(RecordError) {
    let end = bytes.count - RecordKey.checksumLength
    guard start < end, bytes.count - start <= Limits.record else { throw .damaged }
    var reader = CBORReader(bytes, in: start..<end)
    let count = try reader.map(atMost: 23)
    // These three items stay the same in every version of the format.
    guard count >= 2, try reader.unsigned() == RecordKey.formatVersion.rawValue else { throw .damaged }
    let format = try reader.unsigned()
    guard format <= RecordKey.currentFormat else { throw .newerVersion }
    guard format == RecordKey.currentFormat else { throw .damaged }
    try Self.verifyChecksum(of: bytes, from: start)

    var seen: UInt32 = 0
    var previous = RecordKey.formatVersion.rawValue
    for _ in 0..<count - 2 {
      let key = try reader.unsigned()
      guard key > previous, key < RecordKey.checksum.rawValue else { throw .damaged }
      previous = key
      seen |= 1 << UInt32(key)
      try parseValue(of: key, bytes, &reader)
    }
    guard reader.isAtEnd, Self.isComplete(seen, part) else { throw .damaged }
  }

  /// Whether the keys that were seen make up the part: those of the version in the xattr only, and nothing that may
  /// overflow both in the xattr and in a file.
  private static func isComplete(_ seen: UInt32, _ part: Part) -> Bool {
    let version: UInt32 = 0b0111_1110
    let digest: UInt32 = 1 << 7
    let provisional: UInt32 = 1 << 8
    let rest: UInt32 = 0b0111_1110 << 8
    let pointer: UInt32 = 1 << 15
    if seen & provisional != 0 && seen & digest == 0 { return false }
    switch part {
    case .attribute:
      return seen & version == version && (seen & pointer == 0 || seen & rest == 0)
    case .overflow:
      return seen & ~rest == 0 && seen != 0
    }
  }

  private static func verifyChecksum(of bytes: Span<UInt8>, from start: Int) throws(RecordError) {
    let sum = bytes.count - 4
    // The checksum's key 23 and the head of a byte string of four.
    guard bytes[sum - 2] == 0x17, bytes[sum - 1] == 0x44 else { throw .damaged }
    var stored: UInt32 = 0
    for position in sum..<bytes.count {
      stored = stored << 8 | UInt32(bytes[position])
    }
    guard Checksum.of(bytes.extracting(start..<sum)) == stored else { throw .damaged }
  }

  private mutating func parseValue(
    of key: UInt64, _ bytes: Span<UInt8>, _ reader: inout CBORReader
  ) throws(RecordError) {
    if let property = UInt8(exactly: key).flatMap(StoredProperty.init) {
      try parseText(of: property, bytes, &reader)
      return
    }
    guard let key = RecordKey(rawValue: key) else { throw .damaged }
    switch key {
    case .generation: version.generation = try Self.positive(&reader)
    case .metageneration: version.metageneration = try Self.positive(&reader)
    case .updated: version.updated = try Self.positive(&reader)
    case .size: version.pin.size = try reader.unsigned()
    case .modifiedSeconds: version.pin.modified.seconds = try reader.signed()
    case .modifiedNanoseconds:
      let nanoseconds = try reader.unsigned()
      guard nanoseconds < 1_000_000_000 else { throw .damaged }
      version.pin.modified.nanoseconds = UInt32(nanoseconds)
    case .md5IsProvisional:
      guard try reader.simple() == 21 else { throw .damaged }
      md5IsProvisional = true
    case .custom: try parseCustom(bytes, &reader)
    case .overflow:
      let name = try reader.text(atMost: OverflowName.length)
      guard OverflowName.isValid(bytes.extracting(name)) else { throw .damaged }
      overflow = name
    case .formatVersion, .checksum: throw .damaged
    }
  }

  private static func positive(_ reader: inout CBORReader) throws(RecordError) -> UInt64 {
    let number = try reader.unsigned()
    guard number >= 1 else { throw .damaged }
    return number
  }

  /// A property's text goes into HTTP headers, so that no control character may be in it, whoever wrote the record.
  private mutating func parseText(
    of property: StoredProperty, _ bytes: Span<UInt8>, _ reader: inout CBORReader
  ) throws(RecordError) {
    if property.canBeRemoved, reader.isAtNull {
      _ = try reader.simple()
      typeIsRemoved = true
      return
    }
    let range = try reader.text(atMost: Limits.value)
    guard !range.isEmpty else { throw .damaged }
    for position in range where bytes[position] < 0x20 || bytes[position] == 0x7f {
      throw .damaged
    }
    texts[property.index] = range
  }

  private mutating func parseCustom(_ bytes: Span<UInt8>, _ reader: inout CBORReader) throws(RecordError) {
    customCount = try reader.map(atMost: Limits.customTotal)
    guard customCount > 0 else { throw .damaged }
    let start = reader.position
    var total = 0
    var previous = 0..<0
    for _ in 0..<customCount {
      let begin = reader.position
      let key = try reader.string(atMost: Limits.key)
      guard !key.isEmpty, bytes.extracting(previous).order(to: bytes.extracting(begin..<key.upperBound)) < 0 else {
        throw .damaged
      }
      previous = begin..<key.upperBound
      let value = try reader.string(atMost: Limits.value)
      total += key.count + value.count
    }
    guard total <= Limits.customTotal else { throw .damaged }
    custom = start..<reader.position
  }
}
