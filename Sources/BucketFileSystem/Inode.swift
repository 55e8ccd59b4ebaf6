internal import Synchronization
package import SystemCalls

/// One file of the backing tree that the kernel knows: what it is, where it was last seen, and the descriptor by which
/// it is reached.
///
/// An inode that the kernel has forgotten leaves the table; its children may keep it alive for their names.
package final class Inode: @unchecked Sendable {
  // Configuration, fixed for life.
  package let id: NodeID
  package let key: InodeKey
  /// With `key` this tells the file from a later one that was given the same inode number.
  package let born: Timestamp
  package let isRegular: Bool
  package let isDirectory: Bool

  /// Set once and for good, and read without a lock.
  private let linked = Atomic(false)

  // Mutable state, guarded by the lock of the inode's shard in `InodeTable`.
  /// How often the kernel was told of it, less how often it forgot.
  var lookups: UInt64 = 0
  /// Where it was last seen; nil for the root folder, and for a file without a name.
  var parent: Inode?
  var name: [UInt8]
  /// An O_PATH descriptor, −1 while there is none.
  var descriptor: Int32 = -1
  /// How many operations use `descriptor` now.
  var descriptorUsers: Int32 = 0
  /// Whether `descriptor` was used since the eviction's hand last passed.
  var recentlyUsed = false
  /// How many reasons there are never to close `descriptor`: the file has no name by which it could be opened again.
  var descriptorHolds: Int32 = 0
  /// When the latest listing of all entries began, by the monotonic clock; 0 for none.
  var listed: UInt64 = 0
  /// What is known while the file is open, nil while it is not.
  var open: OpenState?

  init(id: NodeID, status: FileStatus, parent: Inode?, name: [UInt8]) {
    self.id = id
    key = InodeKey(device: status.device, inode: status.inode)
    born = status.born
    isRegular = status.isRegular
    isDirectory = status.isDirectory
    self.parent = parent
    self.name = name
  }

  deinit {
    if descriptor >= 0 { System.close(Descriptor(rawValue: descriptor)) }
  }

  /// Whether it was seen with more than one link, so that `LinkNames` knows of it.
  var hasLinks: Bool { linked.load(ordering: .acquiring) }

  /// Notes that it has, or had, more than one name.
  func markLinked() {
    if !hasLinks { linked.store(true, ordering: .releasing) }
  }

  /// Whether `status` is this very file.
  func matches(_ status: FileStatus) -> Bool {
    status.device == key.device && status.inode == key.inode && status.born == born
  }
}
