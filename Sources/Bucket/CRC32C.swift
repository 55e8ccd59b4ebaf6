/// CRC-32C, the checksum that Cloud Storage keeps of each content.
///
/// Source: RFC 3720, appendix B.4, for the polynomial and the test vectors.
package struct CRC32C: Sendable {
  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 1 ? 0x82f6_3b78 ^ value >> 1 : value >> 1 }
    return value
  }

  private var state = UInt32.max

  package init() {}

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    var state = state
    let table = Self.table
    for index in bytes.indices {
      state = table[Int(UInt8(truncatingIfNeeded: state) ^ bytes[index])] ^ state >> 8
    }
    self.state = state
  }

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~state }
}
