internal import Synchronization
package import SystemCalls

/// All inodes that the kernel knows, by node id and by (device, inode).
///
/// The table is cut into shards, chosen by the key's hash; a node id names its shard too, so that either way of finding
/// an inode takes one lock, and requests for different inodes seldom meet. Lock order: a shard's lock is the innermost
/// of all, and no two are ever held at once. No system call is made under one but close.
package final class InodeTable: Sendable {
  static let shardBits: UInt64 = 6
  static var shardCount: Int { 1 << shardBits }

  /// The root folder, which is never forgotten.
  package let root: Inode
  let shards: [Shard]
  /// How many shards have become much smaller since memory was last given back.
  private let shrunk = Atomic<Int>(0)

  /// - Parameters:
  ///   - root: an O_PATH descriptor of the backing directory.
  ///   - descriptorLimit: how many O_PATH descriptors to keep at most.
  package init(root: consuming OwnedDescriptor, status: FileStatus, descriptorLimit: Int) {
    self.root = Inode(id: .root, status: status, parent: nil, name: [])
    self.root.descriptor = root.release().rawValue
    self.root.descriptorHolds = 1
    self.root.lookups = 1
    shards = (0..<Self.shardCount).map { number in
      Shard(number: UInt64(number), descriptorLimit: max(1, descriptorLimit / Self.shardCount))
    }
  }

  /// Inodes keep those above them: one by one they go in no order and to any depth, and a ring of them never would.
  deinit {
    for shard in shards {
      shard.lock.withLock { state in
        for inode in state.inodes { inode?.parent = nil }
      }
    }
  }

  func shard(of key: InodeKey) -> Shard {
    shards[Int(key.spread >> (64 - Self.shardBits))]
  }

  /// The inode with the id; ESTALE for an id that was not given out or was forgotten.
  package func inode(_ id: NodeID) throws(Errno) -> Inode {
    if id == .root { return root }
    guard id.rawValue > 1 else { throw .staleFileHandle }
    let number = id.rawValue - 2
    guard let inode = shards[Int(number & (1 << Self.shardBits - 1))].inode(slot: number >> Self.shardBits) else {
      throw .staleFileHandle
    }
    return inode
  }

  /// The inode with the key, if the kernel knows it.
  func known(_ key: InodeKey) -> Inode? {
    key == root.key ? root : shard(of: key).known(key)
  }

  /// Notes that the kernel is told of the file once more, under this name, and returns its inode.
  func remember(_ status: FileStatus, parent: Inode, name: Span<UInt8>) -> Inode {
    let key = InodeKey(device: status.device, inode: status.inode)
    if key == root.key { return root }
    return shard(of: key).remember(key, status, parent: parent, name: name)
  }

  /// Takes back `count` of the times that the kernel was told of the inode. Returns the inode if it is forgotten now.
  func forget(_ id: NodeID, _ count: UInt64) -> Inode? {
    guard id != .root, let inode = try? inode(id) else { return nil }
    let shard = shard(of: inode.key)
    guard shard.forget(inode, count) else { return nil }
    if shard.shrink() { giveMemoryBack() }
    return inode
  }

  /// The kernel forgets many inodes at once, and all shards alike.
  private func giveMemoryBack() {
    let enough = Self.shardCount / 2
    if shrunk.wrappingAdd(1, ordering: .relaxed).newValue % enough == 0 { System.trimMemory() }
  }

  /// How many inodes are remembered, and how many descriptors they hold.
  package var counts: (inodes: Int, descriptors: Int) {
    shards.reduce(into: (1, 1)) { sum, shard in
      let counts = shard.counts
      sum.0 += counts.inodes
      sum.1 += counts.descriptors
    }
  }

  /// Where the inode was last seen: its parent and its name there. Nil for the root and for what has no name.
  func place(of inode: Inode) -> (parent: Inode, name: [UInt8])? {
    shard(of: inode.key).lock.withLock { _ in
      inode.parent.map { ($0, inode.name) }
    }
  }

  /// Calls `body` with each inode that is remembered but the root, and where it was last seen. No lock is held meanwhile.
  func forEachInode(_ body: (Inode, (parent: Inode, name: [UInt8])?) -> Void) {
    for shard in shards {
      let inodes = shard.lock.withLock { $0.inodes }
      for inode in inodes {
        if let inode { body(inode, place(of: inode)) }
      }
    }
  }

  /// When the latest listing of all the folder's entries began, 0 for none.
  func lastListing(of inode: Inode) -> UInt64 {
    shard(of: inode.key).lock.withLock { _ in inode.listed }
  }

  /// Notes that all entries of the folder were listed.
  func noteListing(of inode: Inode, began: UInt64) {
    shard(of: inode.key).lock.withLock { _ in inode.listed = began }
  }

  /// Notes where the inode is now; nil says that it has no name any more.
  func setPlace(of inode: Inode, _ place: (parent: Inode, name: [UInt8])?) {
    shard(of: inode.key).lock.withLock { _ in
      inode.parent = place?.parent
      inode.name = place?.name ?? []
    }
  }
}
