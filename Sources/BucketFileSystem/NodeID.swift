/// The number by which the kernel names an inode in its requests, FUSE's `nodeid`: valid from the reply that first
/// carried it until the kernel forgot it as often as it was given.
package struct NodeID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// FUSE_ROOT_ID
  package static let root = NodeID(rawValue: 1)
}

/// What identifies a file of the backing tree while it exists.
package struct InodeKey: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// Spreads the key over 64 bits: the upper ones choose a shard, the lower ones a place in it.
  var spread: UInt64 {
    var bits = (inode ^ device.byteSwapped) &* 0x9e37_79b9_7f4a_7c15
    bits ^= bits >> 32
    bits = bits &* 0xd6e8_feb8_6659_fd93
    return bits ^ (bits >> 29)
  }
}
