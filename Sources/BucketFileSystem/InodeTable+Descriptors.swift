package import SystemCalls

/// The bounded cache of O_PATH descriptors. A descriptor that was closed for room is opened again by the inode's name
/// and checked against its device, inode and birth time; what has no name keeps its descriptor.
extension InodeTable {
  /// Runs `body` with an O_PATH descriptor of the inode. ESTALE where the file is no longer at its name.
  @inline(__always)
  package func withDescriptor<Result: ~Copyable>(
    of inode: Inode, _ body: (Descriptor) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    let shard = shard(of: inode.key)
    let descriptor = try borrowDescriptor(of: inode, shard)
    defer { shard.lock.withLock { _ in inode.descriptorUsers -= 1 } }
    return try body(Descriptor(rawValue: descriptor))
  }

  /// Opens the inode's descriptor if need be and keeps it open from now on: the file is about to lose its name.
  /// `releaseDescriptor` takes that back.
  func holdDescriptor(of inode: Inode) throws(Errno) {
    let shard = shard(of: inode.key)
    _ = try borrowDescriptor(of: inode, shard)
    shard.lock.withLock { _ in
      inode.descriptorUsers -= 1
      inode.descriptorHolds += 1
    }
  }

  /// The file did not lose its name after all.
  func releaseDescriptor(of inode: Inode) {
    shard(of: inode.key).lock.withLock { _ in inode.descriptorHolds -= 1 }
  }

  /// Whether the inode may be without a name: it lost it through this mount, or it is open.
  func isKept(_ inode: Inode) -> Bool {
    shard(of: inode.key).lock.withLock { _ in inode.descriptorHolds > 0 || inode.open != nil }
  }

  private func borrowDescriptor(of inode: Inode, _ shard: Shard) throws(Errno) -> Int32 {
    let cached = shard.lock.withLock { _ in
      inode.descriptorUsers += 1
      inode.recentlyUsed = true
      return inode.descriptor
    }
    if cached >= 0 { return cached }
    do throws(Errno) {
      let opened = try openByPlace(inode)
      return shard.adopt(opened, for: inode)
    } catch {
      shard.lock.withLock { _ in inode.descriptorUsers -= 1 }
      throw error
    }
  }

  /// Levels above an inode that are opened again at most.
  private static let deepest = 1 << 16

  /// Opens the folders above the inode whose descriptors were closed too, from the top: as deep as a tree may be, the
  /// stack is not. ESTALE where they form a ring, since somebody moved one below another behind the mount.
  private func openAbove(_ inode: Inode) throws(Errno) {
    var closed: [Inode] = []
    while let parent = place(of: closed.last ?? inode)?.parent, !hasDescriptor(parent) {
      guard closed.count < Self.deepest else { throw .staleFileHandle }
      closed.append(parent)
    }
    for folder in closed.reversed() { try withDescriptor(of: folder) { _ throws(Errno) in } }
  }

  private func hasDescriptor(_ inode: Inode) -> Bool {
    shard(of: inode.key).lock.withLock { _ in inode.descriptor >= 0 }
  }

  private func openByPlace(_ inode: Inode) throws(Errno) -> Descriptor {
    try openAbove(inode)
    guard let place = place(of: inode) else { throw .staleFileHandle }
    let opened = try withDescriptor(of: place.parent) { parent throws(Errno) in
      do throws(Errno) {
        return try System.open(place.name.span, in: parent, [.path, .noFollow])
      } catch .tooManyOpenFiles {
        evictEverywhere()
        return try System.open(place.name.span, in: parent, [.path, .noFollow])
      } catch .noSuchFileOrDirectory {
        throw .staleFileHandle
      }
    }
    guard inode.matches(try System.status(of: opened.descriptor)) else { throw .staleFileHandle }
    return opened.release()
  }

  /// Closes every descriptor that can be opened again and is not in use.
  private func evictEverywhere() {
    for shard in shards { shard.evict(keeping: 0) }
  }
}

extension InodeTable.Shard {
  /// Makes `opened` the inode's descriptor, unless another thread was first, and returns the one that counts.
  fileprivate func adopt(_ opened: Descriptor, for inode: Inode) -> Int32 {
    let (current, isFull) = lock.withLock { state -> (Int32, Bool) in
      if inode.descriptor >= 0 { return (inode.descriptor, false) }
      guard inode.lookups > 0 else {
        // Forgotten meanwhile: no slot is left to find the descriptor by; the inode closes it itself.
        inode.descriptor = opened.rawValue
        return (opened.rawValue, false)
      }
      inode.descriptor = opened.rawValue
      state.cached.append(UInt32((inode.id.rawValue - 2) >> InodeTable.shardBits))
      return (opened.rawValue, state.cached.count > descriptorLimit)
    }
    if current != opened.rawValue { System.close(opened) }
    if isFull { evict(keeping: descriptorLimit) }
    return current
  }

  /// Closes descriptors, those not used lately first, until at most `limit` are left or none may be closed.
  fileprivate func evict(keeping limit: Int) {
    var closing: [Int32] = []
    lock.withLock { state in
      var steps = state.cached.count * 2
      while state.cached.count > limit, steps > 0 {
        steps -= 1
        if state.hand >= state.cached.count { state.hand = 0 }
        let inode = state.inodes[Int(state.cached[state.hand])]!
        if inode.descriptorUsers > 0 || inode.descriptorHolds > 0 || inode.recentlyUsed {
          inode.recentlyUsed = false
          state.hand += 1
          continue
        }
        closing.append(inode.descriptor)
        inode.descriptor = -1
        state.cached.swapAt(state.hand, state.cached.count - 1)
        state.cached.removeLast()
      }
    }
    for descriptor in closing { System.close(Descriptor(rawValue: descriptor)) }
  }
}
