package import SystemCalls

/// Open directories: OPENDIR, READDIR, READDIRPLUS, RELEASEDIR, FSYNCDIR.
extension BucketFileSystem {
  /// OPENDIR. Returns the handle, and whether the kernel may list the entries that it keeps from the time before.
  ///
  /// It may as long as the attributes that it was given with them hold: later it would ask for each entry's by itself,
  /// where READDIRPLUS brings many at once.
  package func openDirectory(_ node: NodeID) throws(Errno) -> (handle: UInt64, keepsEntries: Bool) {
    let inode = try table.inode(node)
    // Not by the name ".", which would ask for the right to search it too.
    let opened = try table.withDescriptor(of: inode) { directory throws(Errno) in
      try System.reopen(directory, [.readOnly, .directory])
    }
    let handle = directories.insert(DirectoryHandle(inode: inode, descriptor: opened))
    let trusted = UInt64(min(attributeTimeout(on: inode.key.device), entryTimeout(on: inode.key.device), 1e9) * 1e9)
    return (handle, Clock.monotonic < table.lastListing(of: inode) + trusted)
  }

  /// RELEASEDIR.
  package func releaseDirectory(_ handle: UInt64) throws(Errno) {
    _ = try directories.remove(handle)
  }

  /// FSYNCDIR.
  package func synchronizeDirectory(_ handle: UInt64, dataOnly: Bool) throws(Errno) {
    try System.synchronize(try directories.handle(handle).descriptor, dataOnly: dataOnly)
  }

  /// READDIR and READDIRPLUS: entries from `offset` on, until the sink is full or there are no more.
  ///
  /// - Parameter plus: whether to look up each entry, which counts as the kernel's LOOKUP of it.
  package func readDirectory<Sink: DirectorySink & ~Copyable>(
    _ handle: UInt64, from offset: Int64, plus: Bool, caller: Caller, into sink: inout Sink
  ) throws(Errno) {
    let handle = try directories.handle(handle)
    try handle.state.withLock { state throws(Errno) in
      if state.position != offset {
        try System.seek(handle.descriptor, to: offset, from: .start)
        state.entries.removeAll()
        state.next = 0
        state.position = offset
        state.began = offset == 0 ? Clock.monotonic : 0
      }
      while true {
        if state.next >= state.entries.count {
          state.next = 0
          let count = try state.entries.fill { buffer throws(Errno) in
            try System.readDirectory(handle.descriptor, into: buffer)
          }
          if count == 0 { return table.noteListing(of: handle.inode, began: state.began) }
        }
        let entry = DirectoryEntry(state.entries.span, at: state.next)
        guard add(entry, of: state.entries.span, handle, plus: plus, caller: caller, to: &sink) else { return }
        state.next = entry.end
        state.position = entry.next
      }
    }
  }

  /// Adds one entry. False where the sink has no room for it.
  private func add<Sink: DirectorySink & ~Copyable>(
    _ entry: DirectoryEntry, of entries: Span<UInt8>, _ handle: DirectoryHandle, plus: Bool, caller: Caller,
    to sink: inout Sink
  ) -> Bool {
    let name = entries.extracting(entry.name)
    if isPrivate(name, in: handle.inode) { return true }
    guard sink.hasRoom(forName: name.count) else { return false }
    let isDots = name[0] == UInt8(ascii: ".") && (name.count == 1 || name.count == 2 && name[1] == UInt8(ascii: "."))
    if plus, !isDots {
      do throws(Errno) {
        let status = try System.status(of: name, in: handle.descriptor)
        sink.add(name, remember(status, at: name, in: handle.inode, usedBy: 0), next: entry.next)
        return true
      } catch .noSuchFileOrDirectory {
        // Removed since: left out, as if it had been a moment earlier.
        return true
      } catch {
        // What may be listed but not searched, or is broken, has its name still.
      }
    }
    // What lies above the root folder is no part of the mount.
    let inode = isDots && handle.inode === table.root ? table.root.key.inode : entry.inode
    sink.add(name, inode: numbers.shown(inode, on: handle.inode.key.device), type: entry.type, next: entry.next)
    return true
  }
}
