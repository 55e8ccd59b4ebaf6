internal import CCrypto

/// SHA-256, by libcrypto, for the names of overflow files.
package enum SHA256Digest {
  /// The digest of `bytes` in lower-case hex.
  package static func hex(of bytes: Span<UInt8>) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeBytes { buffer in
      _ = SHA256(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count, &digest)
    }
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in digest {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return text
  }

  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
  }
}
