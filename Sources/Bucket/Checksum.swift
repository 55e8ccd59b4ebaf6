internal import CZlib

/// The checksum of records: CRC-32 as in zlib and IEEE 802.3, which finds every flipped bit and every burst that disks
/// and memory bring about. It is no defence against forgery, and need not be: who may write the xattr may write any
/// record.
enum Checksum {
  /// The checksum of `bytes`.
  static func of(_ bytes: Span<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { buffer in
      UInt32(truncatingIfNeeded: crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count))
    }
  }
}
