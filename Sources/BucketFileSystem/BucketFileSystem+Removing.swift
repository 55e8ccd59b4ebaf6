package import SystemCalls

/// What takes names away: UNLINK, RMDIR.
extension BucketFileSystem {
  /// UNLINK.
  package func unlink(_ name: Span<UInt8>, in parent: NodeID, caller: Caller, worker: Worker) throws(Errno) {
    try remove(name, in: parent, caller: caller, worker: worker) { name, directory throws(Errno) in
      try System.unlink(name, in: directory)
    }
  }

  /// RMDIR.
  package func removeDirectory(_ name: Span<UInt8>, in parent: NodeID, caller: Caller, worker: Worker) throws(Errno) {
    try remove(name, in: parent, caller: caller, worker: worker) { name, directory throws(Errno) in
      try System.removeDirectory(name, in: directory)
    }
  }

  private func remove(
    _ name: Span<UInt8>, in parent: NodeID, caller: Caller, worker: Worker,
    _ call: (Span<UInt8>, Descriptor) throws(Errno) -> Void
  ) throws(Errno) {
    try refuseIfReadOnly()
    let parent = try table.inode(parent)
    if isPrivate(name, in: parent) { throw .noSuchFileOrDirectory }
    worker.assume(caller)
    try table.withDescriptor(of: parent) { directory throws(Errno) in
      let leaving = try Leaving(name, in: parent, directory, self, worker: worker)
      do throws(Errno) {
        try call(name, directory)
      } catch {
        leaving.stayed(self)
        throw error
      }
      leaving.left(name, in: parent, self)
    }
  }
}

/// A file whose name is about to go, by unlink, rmdir or a rename over it: while the kernel knows it, it stays
/// reachable by a descriptor, and a later object of the name gets a higher generation.
struct Leaving {
  let status: FileStatus
  /// Nil where the kernel does not know it.
  let inode: Inode?
  /// The generation, for an object alone.
  let generation: UInt64?

  init(
    _ name: Span<UInt8>, in parent: Inode, _ directory: Descriptor, _ fileSystem: BucketFileSystem, worker: Worker
  ) throws(Errno) {
    status = try System.status(of: name, in: directory)
    inode = fileSystem.table.known(InodeKey(device: status.device, inode: status.inode))
    if let inode {
      try fileSystem.table.holdDescriptor(of: inode)
    }
    generation =
      status.isRegular
      ? fileSystem.generation(of: name, in: directory, status, worker: worker) : nil
  }

  /// The name is still there.
  func stayed(_ fileSystem: BucketFileSystem) {
    if let inode { fileSystem.table.releaseDescriptor(of: inode) }
  }

  /// The name is gone.
  func left(_ name: Span<UInt8>, in parent: Inode, _ fileSystem: BucketFileSystem) {
    if let generation { fileSystem.removals.note(name, in: parent.key, generation: generation) }
    guard let inode else { return }
    if inode.hasLinks { fileSystem.links.remove(inode, name: name, parent: parent) }
    if status.linkCount > 1, status.isRegular, let other = fileSystem.links.known(of: inode).first {
      fileSystem.table.setPlace(of: inode, (other.parent, other.name))
      fileSystem.table.releaseDescriptor(of: inode)
      return
    }
    // The descriptor stays held: nothing else leads to the file any more.
    if let place = fileSystem.table.place(of: inode), place.parent === parent, place.name.equals(name) {
      fileSystem.table.setPlace(of: inode, nil)
    }
  }
}
