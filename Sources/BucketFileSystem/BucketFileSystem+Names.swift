package import SystemCalls

/// How names lead to inodes: LOOKUP, FORGET, READLINK.
extension BucketFileSystem {
  /// The name of the bucket's private folder, which exists for nobody but the store.
  static var privateName: StaticString { ".bucketfs" }

  func isPrivate(_ name: Span<UInt8>, in parent: Inode) -> Bool {
    parent === table.root && name.equals(Self.privateName.bytes)
  }

  /// EPERM for making anything under the private name.
  func refusePrivate(_ name: Span<UInt8>, in parent: Inode) throws(Errno) {
    if isPrivate(name, in: parent) { throw .notPermitted }
  }

  /// LOOKUP: the inode at `name`, counted once more.
  package func lookup(_ name: Span<UInt8>, in parent: NodeID, caller: Caller) throws(Errno) -> Entry {
    let parent = try table.inode(parent)
    if isPrivate(name, in: parent) { throw .noSuchFileOrDirectory }
    let status = try table.withDescriptor(of: parent) { directory throws(Errno) in
      try System.status(of: name, in: directory)
    }
    return remember(status, at: name, in: parent, usedBy: caller.thread)
  }

  /// Notes that the kernel learns of the file at `name`, which the thread is about to use, and makes the answer.
  func remember(_ status: FileStatus, at name: Span<UInt8>, in parent: Inode, usedBy thread: Int32) -> Entry {
    if status.linkCount > 1, status.isRegular { noteFirstName(of: status) }
    let inode = table.remember(status, parent: parent, name: name)
    var entry = Entry(
      node: inode.id, status: numbers.shown(status), entryTimeout: entryTimeout(on: status.device),
      attributeTimeout: attributeTimeout(on: status.device))
    if inode.isRegular, status.linkCount > 1 {
      // The kernel must ask for each use by name, so that it is known which of its names an object was reached by.
      entry.entryTimeout = 0
      inode.markLinked()
      links.note(inode, name: name, parent: parent, thread: thread)
    } else if inode.hasLinks {
      // Its last name may be one that it was given in the backing directory.
      links.note(inode, name: name, parent: parent, thread: thread)
    }
    return entry
  }

  /// A file that had one name was given another behind the mount's back: the kernel may still trust the first for long.
  private func noteFirstName(of status: FileStatus) {
    guard let inode = table.known(InodeKey(device: status.device, inode: status.inode)), !inode.hasLinks,
      inode.born == status.born, let place = table.place(of: inode)
    else { return }
    links.note(inode, name: place.name.span, parent: place.parent, thread: 0)
    inode.markLinked()
  }

  /// Looks up what an operation has just made.
  func entry(
    of name: Span<UInt8>, in parent: Inode, _ directory: Descriptor, usedBy thread: Int32
  ) throws(Errno) -> Entry {
    remember(try System.status(of: name, in: directory), at: name, in: parent, usedBy: thread)
  }

  /// FORGET.
  package func forget(_ node: NodeID, count: UInt64) {
    guard let inode = table.forget(node, count) else { return }
    if inode.hasLinks { links.forget(node) }
  }

  /// READLINK: appends the target to `output`.
  package func readLink(_ node: NodeID, into output: inout ByteBuffer) throws(Errno) {
    let inode = try table.inode(node)
    try table.withDescriptor(of: inode) { link throws(Errno) in
      _ = try output.fill { buffer throws(Errno) in try System.readLink(link, into: buffer) }
    }
  }
}
