package import SystemCalls

/// The 16 bytes of an MD5 digest.
package struct MD5Digest: Hashable, Sendable {
  /// The first eight bytes, the first of them uppermost.
  private var high: UInt64 = 0
  /// The last eight bytes.
  private var low: UInt64 = 0

  /// Bytes of a digest.
  package static let count = 16
  /// Bytes of its base64.
  package static let base64Count = 24

  /// Makes a digest of `bytes`, which must be 16.
  package init(_ bytes: Span<UInt8>) {
    precondition(bytes.count == Self.count)
    for index in 0..<8 {
      high = high << 8 | UInt64(bytes[index])
      low = low << 8 | UInt64(bytes[index + 8])
    }
  }

  /// Byte `index` of the digest.
  package subscript(index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> (8 * UInt64(7 - index & 7)))
  }

  /// Reads base64 as RFC 4648 section 4 has it: 24 characters, padded, with zeros in the bits that are over.
  package init?(base64 text: Span<UInt8>) {
    guard text.count == Self.base64Count, text[22] == UInt8(ascii: "="), text[23] == UInt8(ascii: "=") else {
      return nil
    }
    // 22 characters of 6 bits: 128 bits and four over.
    for index in 0..<22 {
      guard let bits = Self.bits(of: text[index]) else { return nil }
      if index < 21 {
        shift(left: 6, UInt64(bits))
      } else {
        guard bits & 0xf == 0 else { return nil }
        shift(left: 2, UInt64(bits >> 4))
      }
    }
  }

  private mutating func shift(left count: UInt64, _ bits: UInt64) {
    high = high << count | low >> (64 - count)
    low = low << count | bits
  }

  private static func bits(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

extension ByteBuffer {
  /// Appends the base64 of `digest`, 24 characters.
  package mutating func append(base64 digest: MD5Digest) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    var index = 0
    while index < MD5Digest.count {
      let rest = MD5Digest.count - index
      let first = UInt32(digest[index]) << 16
      let second = rest > 1 ? UInt32(digest[index + 1]) << 8 : 0
      let third = rest > 2 ? UInt32(digest[index + 2]) : 0
      let group = first | second | third
      for place in 0..<4 {
        append(place > rest ? UInt8(ascii: "=") : alphabet.bytes[Int(group >> (18 - 6 * UInt32(place)) & 63)])
      }
      index += 3
    }
  }
}
