internal import SystemCalls

extension InodeTable {
  /// One part of the table, with the lock that guards it and the mutable state of its inodes.
  final class Shard: Sendable {
    struct State {
      /// Inodes by slot; nil where the slot is free.
      var inodes: [Inode?] = []
      var freeSlots: [UInt32] = []
      /// Open addressing over the keys: slot + 1, or 0.
      var index: [UInt32] = Array(repeating: 0, count: 64)
      var count = 0
      /// Slots of the inodes that have a cached descriptor, for the eviction's hand.
      var cached: [UInt32] = []
      var hand = 0
      /// The most inodes that there were since the arrays were last cut to what is used.
      var peak = 0
    }

    let number: UInt64
    let descriptorLimit: Int
    let lock = Mutex(State())

    init(number: UInt64, descriptorLimit: Int) {
      self.number = number
      self.descriptorLimit = descriptorLimit
    }

    var counts: (inodes: Int, descriptors: Int) {
      lock.withLock { ($0.count, $0.cached.count) }
    }

    func inode(slot: UInt64) -> Inode? {
      lock.withLock { state in
        slot < UInt64(state.inodes.count) ? state.inodes[Int(slot)] : nil
      }
    }

    func known(_ key: InodeKey) -> Inode? {
      lock.withLock { state in
        state.position(of: key).map { state.inodes[Int(state.index[$0]) - 1]! }
      }
    }

    func remember(_ key: InodeKey, _ status: FileStatus, parent: Inode, name: Span<UInt8>) -> Inode {
      lock.withLock { state in
        if let position = state.position(of: key) {
          let inode = state.inodes[Int(state.index[position]) - 1]!
          if inode.born == status.born {
            inode.lookups += 1
            if inode.parent !== parent { inode.parent = parent }
            if !inode.name.equals(name) { inode.name = Array(name) }
            return inode
          }
          // The number was given to a new file while the kernel still holds the old one: the old one keeps its slot
          // and is found by its node id alone.
          state.remove(at: position)
        }
        return state.insert(shard: number, status, parent: parent, name: Array(name))
      }
    }

    /// True if many inodes were forgotten, and the memory for them can be given back.
    func shrink() -> Bool {
      lock.withLock { $0.shrink() }
    }

    /// True if the kernel knows the inode no longer.
    func forget(_ inode: Inode, _ count: UInt64) -> Bool {
      let (isForgotten, descriptor) = lock.withLock { state -> (Bool, Int32) in
        guard inode.lookups > 0 else { return (false, -1) }
        inode.lookups -= min(count, inode.lookups)
        guard inode.lookups == 0 else { return (false, -1) }
        state.remove(inode)
        // In use by another thread still, or about to be opened: it is closed with the inode itself.
        guard inode.descriptorUsers == 0 else { return (true, -1) }
        let descriptor = inode.descriptor
        inode.descriptor = -1
        return (true, descriptor)
      }
      if descriptor >= 0 { System.close(Descriptor(rawValue: descriptor)) }
      return isForgotten
    }
  }
}

extension InodeTable.Shard.State {
  /// Where in `index` the key stands.
  func position(of key: InodeKey) -> Int? {
    var position = home(of: key)
    while index[position] != 0 {
      if inodes[Int(index[position]) - 1]!.key == key { return position }
      position = (position + 1) & (index.count - 1)
    }
    return nil
  }

  private func home(of key: InodeKey) -> Int {
    Int(truncatingIfNeeded: key.spread) & (index.count - 1)
  }

  mutating func insert(shard: UInt64, _ status: FileStatus, parent: Inode, name: [UInt8]) -> Inode {
    if (count + 1) * 4 > index.count * 3 { growIndex() }
    let slot = freeSlots.popLast() ?? UInt32(inodes.count)
    let id = NodeID(rawValue: 2 + UInt64(slot) << InodeTable.shardBits + shard)
    let inode = Inode(id: id, status: status, parent: parent, name: name)
    inode.lookups = 1
    if Int(slot) == inodes.count { inodes.append(inode) } else { inodes[Int(slot)] = inode }
    count += 1
    peak = max(peak, count)
    place(slot, inode.key)
    return inode
  }

  private mutating func place(_ slot: UInt32, _ key: InodeKey) {
    var position = home(of: key)
    while index[position] != 0 { position = (position + 1) & (index.count - 1) }
    index[position] = slot + 1
  }

  private mutating func growIndex() {
    let listed = index.filter { $0 != 0 }
    rebuildIndex(listed, capacity: index.count * 2)
  }

  private mutating func rebuildIndex(_ listed: [UInt32], capacity: Int) {
    index = Array(repeating: 0, count: capacity)
    for entry in listed { place(entry - 1, inodes[Int(entry) - 1]!.key) }
  }

  /// Cuts the arrays to what is used, once that is a quarter of what it was, or nothing. True where it did.
  mutating func shrink() -> Bool {
    guard peak >= 256 && count <= peak / 4 || count == 0 && inodes.count >= 256 else { return false }
    peak = count
    if let last = inodes.lastIndex(where: { $0 != nil }) {
      inodes = Array(inodes[...last])
    } else {
      inodes = []
    }
    let end = UInt32(inodes.count)
    freeSlots = freeSlots.filter { $0 < end }
    var capacity = 64
    while (count + 1) * 4 > capacity * 3 { capacity *= 2 }
    rebuildIndex(index.filter { $0 != 0 }, capacity: capacity)
    return true
  }

  /// Takes a forgotten inode out of the table.
  mutating func remove(_ inode: Inode) {
    let slot = UInt32((inode.id.rawValue - 2) >> InodeTable.shardBits)
    if let position = position(of: inode.key), index[position] == slot + 1 { remove(at: position) }
    inodes[Int(slot)] = nil
    freeSlots.append(slot)
    count -= 1
    if inode.descriptor >= 0, let place = cached.firstIndex(of: slot) {
      cached.swapAt(place, cached.count - 1)
      cached.removeLast()
    }
  }

  /// Takes the entry out of `index` and closes the gap, so that later entries of the same run are still found.
  mutating func remove(at gap: Int) {
    var gap = gap
    let mask = index.count - 1
    index[gap] = 0
    var position = (gap + 1) & mask
    while index[position] != 0 {
      let wanted = home(of: inodes[Int(index[position]) - 1]!.key)
      if (position - wanted) & mask >= (position - gap) & mask {
        index[gap] = index[position]
        index[position] = 0
        gap = position
      }
      position = (position + 1) & mask
    }
  }
}

extension [UInt8] {
  /// Whether the bytes are the same.
  func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for position in indices where self[position] != other[position] { return false }
    return true
  }

  /// The bytes of a span.
  init(_ span: Span<UInt8>) {
    self = span.withUnsafeBytes { Array($0) }
  }
}
