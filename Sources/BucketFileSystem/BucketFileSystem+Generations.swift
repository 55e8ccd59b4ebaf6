internal import Bucket
internal import SystemCalls

/// Where the daemon pins a generation: where the formula alone would let one fall, repeat, or change without a change
/// of content.
extension BucketFileSystem {
  /// The generation of an inode's object now; nil where its record cannot be read, and nothing is known to keep.
  func generation(of inode: Inode, _ status: FileStatus, worker: Worker) -> UInt64? {
    try? table.withDescriptor(of: inode) { file throws(Errno) in
      version(of: file, status, worker: worker)?.generation
    }
  }

  func generation(of file: Descriptor, _ status: FileStatus, worker: Worker) -> UInt64 {
    version(of: file, status, worker: worker)?.generation ?? 0
  }

  /// The generation of the object at a name; nil where it cannot be read.
  func generation(
    of name: Span<UInt8>, in directory: Descriptor, _ status: FileStatus, worker: Worker
  ) -> UInt64? {
    if let inode = table.known(InodeKey(device: status.device, inode: status.inode)) {
      return generation(of: inode, status, worker: worker)
    }
    guard let opened = try? System.open(name, in: directory, [.path, .noFollow]) else { return nil }
    return version(of: opened.descriptor, status, worker: worker)?.generation
  }

  func version(of file: Descriptor, _ status: FileStatus, worker: Worker) -> ObjectVersion? {
    do throws(StoreError) {
      return ObjectVersion(status: status, record: try store.record(of: file, into: &worker.scratch.record))
    } catch {
      return nil
    }
  }

  /// A change of an object's size or content made in one call, such as truncate by path: what an open, a write and a
  /// release would be.
  func trackingContent(
    of inode: Inode, _ file: Descriptor, worker: Worker, _ change: () throws(Errno) -> Void
  ) throws(Errno) {
    if let state = table.openState(of: inode), state.lock.withLock({ $0.writers > 0 }) {
      return try change()
    }
    let before = try System.status(of: file)
    let seen = version(of: file, before, worker: worker)
    try change()
    guard let seen, let after = try? System.status(of: file), Pin(after) != Pin(before) else { return }
    store.finishWriting(file, above: seen.generation)
  }

  /// Sets a regular file's mtime by `change`, which is told the time to set: the content stays what it was, and so does
  /// its generation, unless a writer is at work on content that nobody has seen.
  func keepingGeneration(
    of inode: Inode, _ file: Descriptor, _ modified: TimeChange, worker: Worker,
    _ change: (TimeChange) throws(Errno) -> Void
  ) throws(Errno) {
    if let state = table.openState(of: inode) {
      let isDone = try state.lock.withLock { state throws(Errno) -> Bool in
        guard state.writers > 0 else { return false }
        let before = try System.status(of: file)
        guard let seen = state.seen, seen.isContent(of: before) else {
          try change(modified)
          return true
        }
        try keepVersion(of: file, before, modified, worker: worker, change)
        state.seen?.modified = try System.status(of: file).modified
        return true
      }
      if isDone { return }
    }
    try keepVersion(of: file, try System.status(of: file), modified, worker: worker, change)
  }

  private func keepVersion(
    of file: Descriptor, _ before: FileStatus, _ modified: TimeChange, worker: Worker,
    _ change: (TimeChange) throws(Errno) -> Void
  ) throws(Errno) {
    // Now is a time like any other, so that it can be pinned before it is set.
    let time: Timestamp = if case .to(let time) = modified { time } else { Clock.now }
    var after = before
    after.modified = time
    if let version = version(of: file, before, worker: worker), worker.scratch.record.count == 0,
      version == ObjectVersion(status: after, stored: nil)
    {
      // Without a record the formula alone says the same.
      return try change(modified)
    }
    try store.keepVersion(of: file, settingMtime: time) { () throws(Errno) in try change(.to(time)) }
  }

  /// The last writer of a file has closed it: its content counts as finished from now on.
  func settleLastWriter(_ handle: FileHandle, _ state: inout OpenState.State, worker: Worker) {
    guard let status = try? System.status(of: handle.descriptor), status.linkCount > 0 else { return }
    if let seen = state.seen, seen.isContent(of: status) { return }
    // A first content can only follow what was removed at its name, which its creation has seen to.
    let floor = state.seen?.generation ?? 0
    do throws(StoreError) {
      let record = try store.record(of: handle.descriptor, into: &worker.scratch.record)
      let version = ObjectVersion(status: status, record: record)
      // Most often the formula alone is right, and nothing has to be written or locked.
      if version.generation > floor, record?.md5IsProvisional != true { return }
    } catch {
      return
    }
    store.finishWriting(handle.descriptor, above: floor)
  }

  /// The generation is about to be read while writers are at work: what is read now must not be read again for other
  /// content.
  func settleForReading(_ inode: Inode, _ file: Descriptor, worker: Worker) {
    guard let open = table.openState(of: inode) else { return }
    open.lock.withLock { state in
      guard state.writers > 0, let status = try? System.status(of: file) else { return }
      if let seen = state.seen, !seen.isContent(of: status) {
        store.pin(file, above: seen.generation, content: .openForWriting)
      }
      guard let version = version(of: file, status, worker: worker) else { return }
      state.seen = SeenContent(generation: version.generation, size: status.size, modified: status.modified)
    }
  }
}
