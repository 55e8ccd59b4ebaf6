internal import Bucket
package import SystemCalls

/// Open files: OPEN, RELEASE, FLUSH, FSYNC, FALLOCATE, LSEEK, COPY_FILE_RANGE.
extension BucketFileSystem {
  /// OPEN. Reached through /proc, so that neither a rename nor a swapped symlink leads elsewhere.
  package func open(
    _ node: NodeID, flags: OpenFlags, caller: Caller, worker: Worker
  ) throws(Errno) -> OpenedFile {
    let inode = try table.inode(node)
    // Another kind of file stands at the name by now: the kernel looks again.
    guard inode.isRegular else { throw .staleFileHandle }
    if flags.isWritable || flags.contains(.truncate) { try refuseIfReadOnly() }
    worker.assume(caller)
    let wanted = flags.subtracting([.create, .exclusive, .noFollow]).union(.nonBlocking)
    return try table.withDescriptor(of: inode) { file throws(Errno) in
      let before = flags.isWritable || flags.contains(.truncate) ? try System.status(of: file) : nil
      let opened = try System.reopen(file, wanted)
      return try addHandle(inode, opened, flags: flags, before: before, isNew: false, worker: worker)
    }
  }

  /// Makes the handle of a file just opened.
  ///
  /// - Parameters:
  ///   - before: for a writable handle, the status before the open could truncate.
  ///   - isNew: whether this very open made the file, so that nobody has seen its content yet.
  func addHandle(
    _ inode: Inode, _ descriptor: consuming OwnedDescriptor, flags: OpenFlags, before: FileStatus?, isNew: Bool,
    worker: Worker
  ) throws(Errno) -> OpenedFile {
    let state = table.retainOpenState(of: inode)
    let handle = FileHandle(
      inode: inode, state: state, descriptor: descriptor, flags: flags, before: before.map { FileTimes($0) })
    let seen = before.map { status in
      SeenContent(
        generation: generation(of: handle.descriptor, status, worker: worker), size: status.size,
        modified: status.modified)
    }
    let backing = state.lock.withLock { state -> Int32 in
      if flags.isWritable {
        if state.writers == 0 { state.seen = isNew ? nil : seen }
        state.writers += 1
        xattrs.reader.hasher.forget(device: inode.key.device, inode: inode.key.inode)
      }
      if case .undecided = state.backing {
        state.backing = registerBacking(handle.descriptor, worker).map { .kernel($0) } ?? .daemon
      }
      if case .kernel(let id) = state.backing { return id }
      return 0
    }
    // The daemon's own buffers are aligned for nobody; that the file can be opened so is known by now.
    if backing == 0, flags.contains(.direct) { try? System.stopDirect(handle.descriptor) }
    return OpenedFile(
      handle: files.insert(handle), backing: backing, needsNoFlush: backing != 0 || !flags.isWritable)
  }

  /// The kernel writes with the credentials of the thread that registers: as the owner, whose setuid bit a write by
  /// others clears and who may not use the reserved blocks, and as nobody of the file's group.
  ///
  /// A setgid bit without group execution falls by the writer's group, which no fixed credentials can stand for: such a
  /// file is written by the daemon.
  private func registerBacking(_ file: Descriptor, _ worker: Worker) -> Int32? {
    guard let status = try? System.status(of: file), status.mode & 0o2010 != 0o2000 else { return nil }
    worker.assume(user: status.owner, group: status.group == 0 ? UInt32(Int32.max) : 0)
    return backings.register(file)
  }

  /// RELEASE: the last close of one open.
  package func release(_ handle: UInt64, worker: Worker) throws(Errno) {
    let handle = try files.remove(handle)
    let state = handle.state
    if handle.flags.isWritable {
      state.lock.withLock { state in
        state.writers -= 1
        guard state.writers == 0 else { return }
        xattrs.reader.hasher.forget(device: handle.inode.key.device, inode: handle.inode.key.inode)
        settleLastWriter(handle, &state, worker: worker)
      }
    }
    forgetAttributes(afterWritingBy: handle)
    guard table.dropOpenState(state, of: handle.inode) else { return }
    let backing = state.lock.withLock { state -> Int32? in
      guard case .kernel(let id) = state.backing else { return nil }
      return id
    }
    if let backing { backings.release(backing) }
  }

  /// The kernel does not see what was stored through a mapping, nor what the daemon itself has written to the file.
  private func forgetAttributes(afterWritingBy handle: FileHandle) {
    guard handle.flags.isWritable, options.attributeTimeout > 0 else { return }
    if System.hasDistinctChangeTimes, let before = handle.before,
      let status = try? System.status(of: handle.descriptor), FileTimes(status) == before
    {
      return
    }
    _ = kernel.forgetAttributes(handle.inode.id)
  }

  /// The file behind a handle, for READ and WRITE that the kernel does not do itself.
  package func file(_ handle: UInt64) throws(Errno) -> FileHandle {
    try files.handle(handle)
  }

  /// Prepares the calling thread for a write to the handle: as the caller, or as the owner for pages that the kernel
  /// writes back in nobody's name.
  package func prepareWrite(_ handle: FileHandle, caller: Caller, worker: Worker) throws(Errno) {
    if caller.thread != 0 {
      worker.assume(caller)
    } else {
      let status = try System.status(of: handle.descriptor)
      worker.assume(user: status.owner, group: status.group)
    }
  }

  /// FLUSH: what the backing filesystem has to say at a close.
  package func flush(_ handle: UInt64) throws(Errno) {
    try System.flush(try files.handle(handle).descriptor)
  }

  /// FSYNC.
  package func synchronize(_ handle: UInt64, dataOnly: Bool) throws(Errno) {
    try System.synchronize(try files.handle(handle).descriptor, dataOnly: dataOnly)
  }

  /// FALLOCATE.
  package func allocate(
    _ handle: UInt64, mode: Int32, offset: Int64, length: Int64, caller: Caller, worker: Worker
  ) throws(Errno) {
    try refuseIfReadOnly()
    worker.assume(caller)
    try System.allocate(try files.handle(handle).descriptor, mode: mode, offset: offset, length: length)
  }

  /// IOCTL of chattr and lsattr, through an open file or an open folder. The kernel has checked that a caller who changes
  /// something is the owner, and may set what it keeps for the privileged.
  package func flags(
    _ request: FlagRequest, of handle: UInt64, isFolder: Bool, _ value: inout FlagValue, caller: Caller, worker: Worker
  ) throws(Errno) {
    if request.isChange { try refuseIfReadOnly() }
    worker.assume(caller)
    let file = isFolder ? try directories.handle(handle).descriptor : try files.handle(handle).descriptor
    try System.flags(request, of: file, &value)
  }

  /// LSEEK with SEEK_DATA or SEEK_HOLE; the kernel knows the other origins itself.
  package func seek(_ handle: UInt64, to offset: Int64, from origin: SeekOrigin) throws(Errno) -> Int64 {
    try System.seek(try files.handle(handle).descriptor, to: offset, from: origin)
  }

  /// COPY_FILE_RANGE within the mount. Returns the bytes copied.
  package func copyRange(
    from: UInt64, at fromOffset: Int64, to: UInt64, at toOffset: Int64, length: Int, flags: UInt32, caller: Caller,
    worker: Worker
  ) throws(Errno) -> Int {
    try refuseIfReadOnly()
    worker.assume(caller)
    return try System.copyRange(
      from: try files.handle(from).descriptor, at: fromOffset, to: try files.handle(to).descriptor, at: toOffset,
      length: length, flags: flags)
  }
}
