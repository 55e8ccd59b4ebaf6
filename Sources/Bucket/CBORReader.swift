/// Reads CBOR items from bytes that nobody vouches for, and takes only the deterministic encoding of each: the shortest
/// head, definite lengths, no tags.
///
/// Every length is held against what is left before it is used. Whoever reads gets `damaged` for anything else.
/// Source: RFC 8949, sections 3 and 4.2.1.
struct CBORReader: ~Escapable {
  /// The kind of an item: the upper three bits of its first byte.
  enum Major: UInt8 {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simple = 7
  }

  private let bytes: Span<UInt8>
  /// Where the next item begins.
  private(set) var position: Int
  private let end: Int

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }

  /// Reads an item's first bytes: what it is and its number, which is its value, length or count.
  @_lifetime(self: copy self)
  mutating func head() throws(RecordError) -> (Major, UInt64) {
    guard position < end else { throw .damaged }
    let first = bytes[position]
    position += 1
    let major = Major(rawValue: first >> 5)!
    let short = first & 31
    if short < 24 { return (major, UInt64(short)) }
    // 24 to 27 announce 1, 2, 4 or 8 bytes; the rest is reserved or of indefinite length.
    guard short <= 27, major != .simple else { throw .damaged }
    let width = 1 << Int(short - 24)
    guard width <= end - position else { throw .damaged }
    var number: UInt64 = 0
    for _ in 0..<width {
      number = number << 8 | UInt64(bytes[position])
      position += 1
    }
    let least: UInt64 = width == 1 ? 24 : 1 << (UInt64(width) * 4)
    guard number >= least else { throw .damaged }
    return (major, number)
  }

  /// Reads a number of 63 bits.
  @_lifetime(self: copy self)
  mutating func unsigned() throws(RecordError) -> UInt64 {
    let (major, number) = try head()
    guard major == .unsigned, number <= UInt64(Int64.max) else { throw .damaged }
    return number
  }

  /// Reads a number of 64 bits with its sign.
  @_lifetime(self: copy self)
  mutating func signed() throws(RecordError) -> Int64 {
    let (major, number) = try head()
    guard number <= UInt64(Int64.max) else { throw .damaged }
    switch major {
    case .unsigned: return Int64(number)
    case .negative: return -1 - Int64(number)
    default: throw .damaged
    }
  }

  /// Reads the head of a map of at most `limit` entries. Returns their number.
  @_lifetime(self: copy self)
  mutating func map(atMost limit: Int) throws(RecordError) -> Int {
    let (major, number) = try head()
    guard major == .map, number <= UInt64(limit) else { throw .damaged }
    return Int(number)
  }

  /// Reads a text string of at most `limit` bytes, which must be UTF-8. Returns where its bytes are.
  @_lifetime(self: copy self)
  mutating func text(atMost limit: Int) throws(RecordError) -> Range<Int> {
    let (major, number) = try head()
    guard major == .text else { throw .damaged }
    let range = try take(number, atMost: limit)
    guard bytes.extracting(range).isUTF8 else { throw .damaged }
    return range
  }

  /// Reads a byte string of `length` bytes. Returns where they are.
  @_lifetime(self: copy self)
  mutating func byteString(ofLength length: Int) throws(RecordError) -> Range<Int> {
    let (major, number) = try head()
    guard major == .bytes, number == UInt64(length) else { throw .damaged }
    return try take(number, atMost: length)
  }

  /// Reads a string of at most `limit` bytes: a text string where they are UTF-8, a byte string where they are not, and
  /// never the other way round. Returns where they are.
  @_lifetime(self: copy self)
  mutating func string(atMost limit: Int) throws(RecordError) -> Range<Int> {
    let (major, number) = try head()
    guard major == .text || major == .bytes else { throw .damaged }
    let range = try take(number, atMost: limit)
    guard bytes.extracting(range).isUTF8 == (major == .text) else { throw .damaged }
    return range
  }

  /// Reads a simple value: 20 false, 21 true, 22 null.
  @_lifetime(self: copy self)
  mutating func simple() throws(RecordError) -> UInt64 {
    let (major, number) = try head()
    guard major == .simple else { throw .damaged }
    return number
  }

  /// Whether the next item is null.
  var isAtNull: Bool { position < end && bytes[position] == 0xf6 }

  @_lifetime(self: copy self)
  private mutating func take(_ length: UInt64, atMost limit: Int) throws(RecordError) -> Range<Int> {
    guard length <= UInt64(limit), Int(length) <= end - position else { throw .damaged }
    let range = position..<position + Int(length)
    position = range.upperBound
    return range
  }
}
