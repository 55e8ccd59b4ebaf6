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
}

/// GETATTR, SETATTR, STATFS.
extension BucketFileSystem {
  /// GETATTR: attributes with the inode number that the mount shows.
  package func attributes(of node: NodeID) throws(Errno) -> FileStatus {
    let inode = try table.inode(node)
    return numbers.shown(
      try table.withDescriptor(of: inode) { file throws(Errno) in try System.status(of: file) })
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
      if changes.owner != nil || changes.group != nil {
        try System.changeOwner(of: file, owner: changes.owner, group: changes.group)
      }
      if let mode = changes.mode {
        if mode & 0o2000 != 0 {
          try worker.keepingSetgid { () throws(Errno) in try System.changeMode(of: file, to: mode) }
        } else {
          try System.changeMode(of: file, to: mode)
        }
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
      return numbers.shown(try System.status(of: file))
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
