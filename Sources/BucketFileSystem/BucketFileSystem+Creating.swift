package import SystemCalls

/// What makes names: MKNOD, MKDIR, SYMLINK, LINK, CREATE. What is made belongs to the caller.
extension BucketFileSystem {
  /// MKNOD of a regular file, a FIFO or a socket. EPERM for device nodes.
  package func makeNode(
    _ name: Span<UInt8>, in parent: NodeID, mode: UInt32, caller: Caller, worker: Worker
  ) throws(Errno) -> Entry {
    switch FileType(rawValue: mode & 0o170000) {
    case .regular, .fifo, .socket, nil: break
    case .characterDevice, .blockDevice, .directory, .symbolicLink: throw .notPermitted
    }
    return try make(name, in: parent, mode: mode, caller: caller, worker: worker) { name, directory throws(Errno) in
      try System.makeNode(name, in: directory, mode: mode)
    }
  }

  /// MKDIR.
  package func makeDirectory(
    _ name: Span<UInt8>, in parent: NodeID, mode: UInt32, caller: Caller, worker: Worker
  ) throws(Errno) -> Entry {
    try make(name, in: parent, mode: 0, caller: caller, worker: worker) { name, directory throws(Errno) in
      try System.makeDirectory(name, in: directory, mode: mode)
    }
  }

  /// SYMLINK.
  package func makeSymbolicLink(
    _ name: Span<UInt8>, in parent: NodeID, target: Span<UInt8>, caller: Caller, worker: Worker
  ) throws(Errno) -> Entry {
    try make(name, in: parent, mode: 0, caller: caller, worker: worker) { name, directory throws(Errno) in
      try System.makeSymbolicLink(name, in: directory, target: target)
    }
  }

  private func make(
    _ name: Span<UInt8>, in parent: NodeID, mode: UInt32, caller: Caller, worker: Worker,
    _ call: (Span<UInt8>, Descriptor) throws(Errno) -> Void
  ) throws(Errno) -> Entry {
    try refuseIfReadOnly()
    let parent = try table.inode(parent)
    try refusePrivate(name, in: parent)
    worker.assumeWithUmask(caller)
    return try table.withDescriptor(of: parent) { directory throws(Errno) in
      try worker.keepingSetgid(of: mode) { () throws(Errno) in try call(name, directory) }
      let entry = try undoing(name, in: directory) { () throws(Errno) -> Entry in
        try self.entry(of: name, in: parent, directory, usedBy: caller.thread)
      }
      if entry.status.isRegular { finishCreation(of: entry, name, in: parent, directory, caller: caller, worker) }
      return entry
    }
  }

  /// Runs `body`, and takes the name that was just made away again where that fails.
  private func undoing<Result>(
    _ name: Span<UInt8>, in directory: Descriptor, _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      takeBack(name, in: directory, after: error)
      throw error
    }
  }

  /// Takes away what was just made: whoever is told that nothing was made must not find it there.
  private func takeBack(_ name: Span<UInt8>, in directory: Descriptor, after reason: Errno) {
    // What is there by now may be somebody else's.
    if reason == .noSuchFileOrDirectory || reason == .staleFileHandle { return }
    do throws(Errno) {
      try System.unlink(name, in: directory)
    } catch .isDirectory {
      try? System.removeDirectory(name, in: directory)
    } catch {
      // It stays, as half of what was asked for.
    }
  }

  /// LINK: another name for the inode.
  ///
  /// The kernel may trust the first name for its timeout still. It is not told otherwise: it would wait for the lock of
  /// the folder, which somebody may hold who waits for the daemon.
  package func link(
    _ node: NodeID, to name: Span<UInt8>, in parent: NodeID, caller: Caller, worker: Worker
  ) throws(Errno) -> Entry {
    try refuseIfReadOnly()
    let inode = try table.inode(node)
    let parent = try table.inode(parent)
    try refusePrivate(name, in: parent)
    worker.assume(caller)
    if inode.isRegular, !inode.hasLinks, let place = table.place(of: inode) {
      links.note(inode, name: place.name.span, parent: place.parent, thread: 0)
      inode.markLinked()
    }
    return try table.withDescriptor(of: inode) { file throws(Errno) in
      try table.withDescriptor(of: parent) { directory throws(Errno) in
        try System.link(file, to: name, in: directory)
        return try undoing(name, in: directory) { () throws(Errno) -> Entry in
          try entry(of: name, in: parent, directory, usedBy: 0)
        }
      }
    }
  }

  /// CREATE: makes the file if it is not there, and opens it.
  package func create(
    _ name: Span<UInt8>, in parent: NodeID, mode: UInt32, flags: OpenFlags, caller: Caller, worker: Worker
  ) throws(Errno) -> (Entry, OpenedFile) {
    try refuseIfReadOnly()
    let parent = try table.inode(parent)
    try refusePrivate(name, in: parent)
    worker.assumeWithUmask(caller)
    return try table.withDescriptor(of: parent) { directory throws(Errno) in
      var isNew = false
      let descriptor = try openOrCreate(name, in: directory, mode: mode, flags: flags, worker, isNew: &isNew)
      do throws(Errno) {
        let status = try System.status(of: descriptor.descriptor)
        guard status.isRegular else { throw .staleFileHandle }
        let entry = remember(status, at: name, in: parent, usedBy: caller.thread)
        if isNew { finishCreation(of: entry, name, in: parent, directory, caller: caller, worker) }
        do throws(Errno) {
          let inode = try table.inode(entry.node)
          let opened = try addHandle(
            inode, descriptor, flags: flags, before: isNew ? nil : status, isNew: isNew, worker: worker)
          return (entry, opened)
        } catch {
          forget(entry.node, count: 1)
          throw error
        }
      } catch {
        if isNew { takeBack(name, in: directory, after: error) }
        throw error
      }
    }
  }

  /// The kernel asks for CREATE only where it knows of no file; another program may have made one since.
  private func openOrCreate(
    _ name: Span<UInt8>, in directory: Descriptor, mode: UInt32, flags: OpenFlags, _ worker: Worker,
    isNew: inout Bool
  ) throws(Errno) -> OwnedDescriptor {
    let common = flags.subtracting([.create, .exclusive]).union(.noFollow)
    do throws(Errno) {
      let made = try worker.keepingSetgid(of: mode) { () throws(Errno) in
        try System.open(name, in: directory, common.union([.create, .exclusive]), mode: mode)
      }
      isNew = true
      return made
    } catch .fileExists where !flags.contains(.exclusive) {
      isNew = false
      return try System.open(name, in: directory, common.union(.nonBlocking))
    }
  }
}
