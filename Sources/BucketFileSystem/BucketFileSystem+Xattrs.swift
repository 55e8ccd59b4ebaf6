package import Bucket
package import SystemCalls

/// GETXATTR, LISTXATTR, SETXATTR, REMOVEXATTR: the properties by `XattrView`, POSIX ACLs as the backing filesystem has
/// them.
extension BucketFileSystem {
  /// GETXATTR: fills the worker's output with the value. `.deferred` is an md5Hash that has to be computed first, by
  /// `digest(of:…)`.
  package func getXattr(
    _ name: Span<UInt8>, of node: NodeID, caller: Caller, worker: Worker
  ) throws(Errno) -> XattrAnswer {
    let inode = try table.inode(node)
    worker.output.removeAll()
    // Asked at the first write to each file, among others: the answer needs no look at the backing file.
    if case .security = AttributeName(name) { throw .noData }
    return try table.withDescriptor(of: inode) { file throws(Errno) in
      if Self.isACL(name) {
        try worker.output.fill { memory throws(Errno) in try System.getXattr(name, of: file, into: memory) }
        return .value
      }
      try refuseIfGone(inode, file)
      if !options.readOnly, inode.isRegular { settleForReading(inode, file, worker: worker) }
      return try xattrs.get(
        name, of: reference(to: inode, file), naming: NodeNaming(fileSystem: self, inode: inode, thread: caller.thread),
        user: caller.user, &worker.scratch, into: &worker.output)
    }
  }

  /// Computes the digest that `getXattr` deferred, or the one that `setXattr` needs, on a thread of the hasher's.
  package func digest(
    of node: NodeID, isCancelled: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<ContentDigest, HashError>) -> Void
  ) throws(Errno) {
    let inode = try table.inode(node)
    let content = contentState(of: inode)
    try table.withDescriptor(of: inode) { file throws(Errno) in
      xattrs.reader.hasher.submit(file, content: content, isCancelled: isCancelled, completion: completion)
    }
  }

  /// LISTXATTR: fills the worker's output with the names, each with a NUL behind it.
  package func listXattrs(of node: NodeID, worker: Worker) throws(Errno) {
    let inode = try table.inode(node)
    worker.output.removeAll()
    replacements.forgetCreation(of: inode)
    try table.withDescriptor(of: inode) { file throws(Errno) in
      try refuseIfGone(inode, file)
      let object = reference(to: inode, file)
      try xattrs.list(of: object, &worker.scratch, into: &worker.output)
      // The listing has read the names of all but those that have no properties.
      if object.kind == .other { try readNames(of: file, into: &worker.scratch.names) }
      Self.listACLs(among: worker.scratch.names, into: &worker.output)
    }
  }

  /// SETXATTR of a POSIX ACL. It changes the mode, and drops setgid unless `keepingSetgid`, that is where the caller may
  /// set it: the backing filesystem would judge by the daemon's groups.
  package func setACL(
    _ name: Span<UInt8>, of node: NodeID, to value: Span<UInt8>, _ flags: XattrFlags, keepingSetgid: Bool,
    worker: Worker
  ) throws(Errno) {
    try refuseIfReadOnly()
    let inode = try table.inode(node)
    try table.withDescriptor(of: inode) { file throws(Errno) in
      let mode = keepingSetgid ? try System.status(of: file).mode : 0
      try worker.keepingSetgid(of: mode) { () throws(Errno) in try System.setXattr(name, of: file, to: value, flags) }
    }
  }

  /// SETXATTR of another than a POSIX ACL. `.needsDigest` asks for the same once more with the content's digest.
  package func setXattr(
    _ name: Span<UInt8>, of node: NodeID, to value: Span<UInt8>, _ flags: XattrFlags, digest: ContentDigest? = nil
  ) throws(Errno) -> XattrChange {
    try refuseIfReadOnly()
    let inode = try table.inode(node)
    return try table.withDescriptor(of: inode) { file throws(Errno) in
      try refuseIfGone(inode, file)
      replacements.forgetCreation(of: inode)
      return try xattrs.set(name, to: value, flags, of: reference(to: inode, file), digest: digest)
    }
  }

  /// REMOVEXATTR.
  package func removeXattr(_ name: Span<UInt8>, of node: NodeID) throws(Errno) {
    try refuseIfReadOnly()
    let inode = try table.inode(node)
    try table.withDescriptor(of: inode) { file throws(Errno) in
      if Self.isACL(name) { return try System.removeXattr(name, of: file) }
      try refuseIfGone(inode, file)
      replacements.forgetCreation(of: inode)
      try xattrs.remove(name, of: reference(to: inode, file))
    }
  }

  /// Whether the file is being written, by a handle of this mount.
  func contentState(of inode: Inode) -> ContentState {
    isOpenForWriting(inode) ? .openForWriting : .closed
  }

  private func reference(to inode: Inode, _ file: Descriptor) -> ObjectReference {
    let kind: ObjectReference.Kind =
      if inode.isRegular { .object } else if inode === table.root { .rootFolder } else if inode.isDirectory {
        .folder
      } else {
        .other
      }
    return ObjectReference(file: file, kind: kind, content: inode.isRegular ? contentState(of: inode) : .closed)
  }

  /// ESTALE for a file that somebody removed or replaced in the backing directory, so that the kernel looks its name up
  /// again, early. What was unlinked through the mount, or is open, goes on working.
  private func refuseIfGone(_ inode: Inode, _ file: Descriptor) throws(Errno) {
    if try System.status(of: file).linkCount == 0, !table.isKept(inode) { throw .staleFileHandle }
  }

  /// Whether it is the name of a POSIX ACL, which is the backing filesystem's own.
  package static func isACL(_ name: Span<UInt8>) -> Bool {
    name.starts(with: ("system.posix_acl_" as StaticString).bytes)
  }

  private func readNames(of file: Descriptor, into names: inout ByteBuffer) throws(Errno) {
    do throws(Errno) {
      try names.fill { memory throws(Errno) in try System.listXattrs(of: file, into: memory) }
    } catch .notSupported {
      names.removeAll()
    }
  }

  /// Adds the names of the POSIX ACLs among those of the backing file, as a local filesystem lists them.
  private static func listACLs(among names: borrowing ByteBuffer, into output: inout ByteBuffer) {
    XattrNames(names.span).forEach { name in
      guard isACL(name) else { return }
      output.append(name)
      output.append(0)
    }
  }
}
