internal import SystemCalls

/// Replacing the xattr that holds a record, so that a power cut leaves the old or the new one on every filesystem.
///
/// One setxattr is one step of the journal, but for this case: XFS keeps short xattrs in the inode, and one that outgrows
/// the room there is taken out in one transaction and comes back elsewhere in the next. XFS replaces in one step what is
/// not in the inode, and moves xattrs out of it in one step when another one needs the room.
extension BucketStore {
  /// Bytes from which on XFS is sure to keep a value elsewhere: it has one byte for its length in the inode.
  private static let largeSize = 256
  /// The xattr that has the others moved. Left behind by a crash it is in nobody's way.
  static let room: StaticString = "user.bucketfs.room"

  /// Replaces the object's record by `bytes` in one step.
  func store(_ bytes: Span<UInt8>, on object: Descriptor) throws(Errno) {
    guard try mayOutgrowInode(bytes.count, object) else {
      return try System.setXattr(Self.attribute.bytes, of: object, to: bytes)
    }
    try System.setXattr(Self.room.bytes, of: object, to: [UInt8](repeating: 0, count: Self.largeSize).span)
    defer { try? System.removeXattr(Self.room.bytes, of: object) }
    try System.setXattr(Self.attribute.bytes, of: object, to: bytes)
  }

  /// Whether the filesystem would take two steps for a record of `count` bytes.
  private func mayOutgrowInode(_ count: Int, _ object: Descriptor) throws(Errno) -> Bool {
    guard try System.fileSystemType(of: object) == System.xfs else { return false }
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    guard let old = try System.getXattrIfSet(Self.attribute.bytes, of: object, into: nothing) else { return false }
    return old < count && old < Self.largeSize
  }
}
