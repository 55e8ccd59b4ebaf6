/// The bytes of an input, taken from its beginning. Behind its end there are zeros.
struct Input {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 {
    rest.popFirst() ?? 0
  }

  /// A number in the machine's order.
  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
    var number: Number = 0
    for place in 0..<MemoryLayout<Number>.size { number |= Number(truncatingIfNeeded: byte()) << Number(place * 8) }
    return number
  }

  /// At most that many bytes.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// As many bytes as the next one says.
  mutating func shortBytes() -> [UInt8] {
    bytes(Int(byte()))
  }

  /// As many bytes as the next two say.
  mutating func longBytes() -> [UInt8] {
    bytes(Int(number(UInt16.self)))
  }

  /// What is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
