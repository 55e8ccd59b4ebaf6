package import SystemCalls

/// RENAME.
extension BucketFileSystem {
  /// RENAME with its flags. The object takes its metadata along; over another object it gets a higher generation than
  /// both, or takes that one's metadata over.
  package func rename(
    _ name: Span<UInt8>, in parent: NodeID, to newName: Span<UInt8>, in newParent: NodeID, flags: RenameFlags,
    caller: Caller, worker: Worker
  ) throws(Errno) {
    try refuseIfReadOnly()
    // A whiteout is a device node.
    if flags.contains(.whiteout) { throw .notPermitted }
    let from = try table.inode(parent)
    let to = try table.inode(newParent)
    if isPrivate(name, in: from) { throw .noSuchFileOrDirectory }
    try refusePrivate(newName, in: to)
    worker.assume(caller)
    try table.withDescriptor(of: from) { fromDirectory throws(Errno) in
      try table.withDescriptor(of: to) { toDirectory throws(Errno) in
        if flags.contains(.exchange) {
          try exchange(name, in: from, fromDirectory, newName, in: to, toDirectory, flags)
        } else {
          try move(
            name, in: from, fromDirectory, to: newName, in: to, toDirectory, flags, caller: caller, worker: worker)
        }
      }
    }
  }

  private func move(
    _ name: Span<UInt8>, in from: Inode, _ fromDirectory: Descriptor, to newName: Span<UInt8>, in to: Inode,
    _ toDirectory: Descriptor, _ flags: RenameFlags, caller: Caller, worker: Worker
  ) throws(Errno) {
    let moving = try System.status(of: name, in: fromDirectory)
    let replaced = try replacedFile(newName, in: to, toDirectory, flags, worker: worker)
    let isSameFile = replaced.map { $0.status.inode == moving.inode && $0.status.device == moving.device } ?? false
    let generation =
      moving.isRegular && !isSameFile
      ? generation(of: name, in: fromDirectory, moving, worker: worker) : nil
    let replacement =
      isSameFile
      ? nil
      : prepareReplacement(moving, at: newName, in: to, replaced: replaced, caller: caller)
    do throws(Errno) {
      try System.rename(name, in: fromDirectory, to: newName, in: toDirectory, flags)
    } catch {
      replacement?.undo(self)
      replaced?.stayed(self)
      throw error
    }
    if isSameFile {
      replaced?.stayed(self)
      return
    }
    replaced?.left(newName, in: to, self)
    moved(moving, name, in: from, to: newName, in: to)
    noteDeparture(of: moving, from: name, in: from, generation: generation, caller: caller)
  }

  /// The file that the rename is about to push off its name, nil where the name is free.
  private func replacedFile(
    _ name: Span<UInt8>, in parent: Inode, _ directory: Descriptor, _ flags: RenameFlags, worker: Worker
  ) throws(Errno) -> Leaving? {
    if flags.contains(.noReplace) { return nil }
    do throws(Errno) {
      return try Leaving(name, in: parent, directory, self, worker: worker)
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Notes the new place of a file that the kernel knows.
  private func moved(
    _ status: FileStatus, _ name: Span<UInt8>, in from: Inode, to newName: Span<UInt8>, in to: Inode
  ) {
    guard let inode = table.known(InodeKey(device: status.device, inode: status.inode)) else { return }
    table.setPlace(of: inode, (to, Array(newName)))
    if inode.hasLinks {
      links.remove(inode, name: name, parent: from, moved: LinkNames.Place(parent: to, name: Array(newName)))
    }
  }

  private func exchange(
    _ name: Span<UInt8>, in from: Inode, _ fromDirectory: Descriptor, _ newName: Span<UInt8>, in to: Inode,
    _ toDirectory: Descriptor, _ flags: RenameFlags
  ) throws(Errno) {
    let first = try System.status(of: name, in: fromDirectory)
    let second = try System.status(of: newName, in: toDirectory)
    try System.rename(name, in: fromDirectory, to: newName, in: toDirectory, flags)
    moved(first, name, in: from, to: newName, in: to)
    moved(second, newName, in: to, to: name, in: from)
  }
}
