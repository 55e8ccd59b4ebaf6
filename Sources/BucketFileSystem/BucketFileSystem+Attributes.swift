package import SystemCalls

/// The changes that one SETATTR asks for; nil and `.keep` leave alone.
package struct AttributeChanges: Sendable {
  /// Permission bits, with setuid, setgid and sticky.
  package var mode: UInt32?
  package var owner: UInt32?
  package var group: UInt32?
  /// Bytes.
  package var size: Int64?
  package var accessed = TimeChange.keep
  package var modified = TimeChange.keep

  package init() {}

  var areNone: Bool {
    guard mode == nil, owner == nil, group == nil, size == nil else { return false }
    if case (.keep, .keep) = (accessed, modified) { return true }
    return false
  }
}

/// GETATTR, SETATTR, STATFS.
extension BucketFileSystem {
  /// GETATTR: attributes with the inode number that the mount shows.
  package func attributes(of node: NodeID) throws(Errno) -> FileStatus {
    let inode = try table.inode(node)
    return try table.withDescriptor(of: inode) { file throws(Errno) in try shownStatus(of: inode, file) }
  }

  /// The status as the mount shows it: with its inode number, and the root without the private folder's link.
  private func shownStatus(of inode: Inode, _ file: Descriptor) throws(Errno) -> FileStatus {
    var status = try System.status(of: file)
    if inode === table.root, status.linkCount > 2,
      let hidden = try? System.status(of: Self.privateName.bytes, in: file), hidden.isDirectory
    {
      status.linkCount -= 1
    }
    return numbers.shown(status)
  }

  /// SETATTR, in the order in which the kernel's own chown, chmod, truncate and utimensat would not undo each other:
  /// the owner first, since that clears setuid.
  package func setAttributes(
    of node: NodeID, _ changes: AttributeChanges, handle: UInt64?, caller: Caller, worker: Worker
  ) throws(Errno) -> FileStatus {
    try refuseIfReadOnly()
    let inode = try table.inode(node)
    let opened = try handle.map { number throws(Errno) in try files.handle(number) }
    worker.assume(caller)
    return try table.withDescriptor(of: inode) { file throws(Errno) in
      if changes.owner != nil || changes.group != nil || changes.areNone {
        try changeOwner(of: file, changes, caller: caller, worker: worker)
      }
      if let mode = changes.mode {
        try worker.keepingSetgid(of: mode) { () throws(Errno) in try System.changeMode(of: file, to: mode) }
      }
      if let size = changes.size {
        try trackingContent(of: inode, file, worker: worker) { () throws(Errno) in
          if let opened, opened.flags.isWritable {
            try System.truncate(writable: opened.descriptor, to: size)
          } else {
            try System.truncate(file, to: size)
          }
        }
      }
      try changeTimes(of: inode, file, changes, worker: worker)
      return try shownStatus(of: inode, file)
    }
  }

  /// chown. One that names neither owner nor group comes as a SETATTR of nothing, and moves ctime and drops setuid and
  /// setgid like any other. A write that is to drop them comes as the same: what it is for others than the owner cannot
  /// be told, and is left to the write itself.
  private func changeOwner(
    of file: Descriptor, _ changes: AttributeChanges, caller: Caller, worker: Worker
  ) throws(Errno) {
    let status = try System.status(of: file)
    if changes.areNone, status.mode & 0o6000 != 0, caller.user != 0, caller.user != status.owner { return }
    let change = { () throws(Errno) in
      try System.changeOwner(of: file, owner: changes.owner, group: changes.group)
    }
    // Without execution by the group the bit is no privilege, and root keeps it.
    if caller.user == 0, status.mode & 0o2010 == 0o2000 {
      try worker.keepingSetgid(change)
    } else {
      try change()
    }
  }

  private func changeTimes(
    of inode: Inode, _ file: Descriptor, _ changes: AttributeChanges, worker: Worker
  ) throws(Errno) {
    switch (changes.accessed, changes.modified) {
    case (.keep, .keep):
      return
    case (let accessed, .keep) where inode.isRegular || inode.isDirectory:
      try System.changeTimes(of: file, accessed: accessed, modified: .keep)
    case (let accessed, let modified) where inode.isRegular:
      try keepingGeneration(of: inode, file, modified, worker: worker) { modified throws(Errno) in
        try System.changeTimes(of: file, accessed: accessed, modified: modified)
      }
    case (let accessed, let modified) where inode.isDirectory:
      try System.changeTimes(of: file, accessed: accessed, modified: modified)
    case (let accessed, let modified):
      // Through /proc a symlink would be followed: it is reached by its name.
      guard let place = table.place(of: inode) else { throw .staleFileHandle }
      try table.withDescriptor(of: place.parent) { parent throws(Errno) in
        try System.changeTimes(of: place.name.span, in: parent, accessed: accessed, modified: modified)
      }
    }
  }

  /// STATFS.
  package func fileSystemStatus(of node: NodeID) throws(Errno) -> FileSystemStatus {
    let inode = try table.inode(node)
    return try table.withDescriptor(of: inode) { file throws(Errno) in try System.fileSystemStatus(of: file) }
  }

  /// EROFS for every change of a read-only mount. The kernel refuses most of them itself.
  func refuseIfReadOnly() throws(Errno) {
    if options.readOnly { throw .readOnlyFileSystem }
  }
}
