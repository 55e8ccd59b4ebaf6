internal import Bucket
internal import SystemCalls

/// Taking metadata over when a program saves a file by replacing it, and the generation of what stands at a name where
/// another object stood.
extension BucketFileSystem {
  /// What was done to a file before it is moved over another, to be taken back if the move fails.
  struct PreparedReplacement {
    let inode: Inode
    let replacement: Replacement?

    func undo(_ fileSystem: BucketFileSystem) {
      guard let replacement else { return }
      try? fileSystem.table.withDescriptor(of: inode) { file throws(Errno) in
        fileSystem.store.undo(replacement, of: file)
      }
    }
  }

  /// A regular file was made at the name.
  func finishCreation(
    of entry: Entry, _ name: Span<UInt8>, in parent: Inode, _ directory: Descriptor, caller: Caller, _ worker: Worker
  ) {
    guard let inode = try? table.inode(entry.node) else { return }
    let floor = removals.floor(of: name, in: parent.key)
    if let departed = departedObject(from: name, in: parent, caller: caller) {
      _ = prepare(inode, toReplace: departed, takingOver: true)
    }
    if ObjectVersion(status: entry.status, stored: nil).generation <= floor {
      try? table.withDescriptor(of: inode) { file throws(Errno) in
        store.pin(file, above: floor, content: contentState(of: inode))
      }
    }
    replacements.noteCreation(of: inode, by: caller.thread)
  }

  /// The record of a file that is about to be moved: above the generations of both where it replaces an object, and
  /// with that one's metadata where its maker only saved a file.
  func prepareReplacement(
    _ moving: FileStatus, at newName: Span<UInt8>, in to: Inode, replaced: Leaving?, caller: Caller
  ) -> PreparedReplacement? {
    guard let inode = table.known(InodeKey(device: moving.device, inode: moving.inode)), inode.isRegular else {
      return nil
    }
    let isSaving = isSavedBy(caller, moving)
    if let replaced {
      guard replaced.status.isRegular, let old = replaced.inode else { return nil }
      let takingOver = options.replace == .keep || isSaving
      return PreparedReplacement(inode: inode, replacement: prepare(inode, toReplace: old, takingOver: takingOver))
    }
    guard options.replace == .keep || isSaving,
      let departed = departedObject(from: newName, in: to, caller: caller), departed !== inode
    else { return nil }
    return PreparedReplacement(inode: inode, replacement: prepare(inode, toReplace: departed, takingOver: true))
  }

  /// Notes that an object left its name by a rename that succeeded.
  func noteDeparture(
    of status: FileStatus, from name: Span<UInt8>, in parent: Inode, generation: UInt64?, caller: Caller
  ) {
    guard status.isRegular else { return }
    if let generation { removals.note(name, in: parent.key, generation: generation) }
    guard options.replace != .drop, let inode = table.known(InodeKey(device: status.device, inode: status.inode))
    else { return }
    replacements.noteDeparture(of: inode, from: name, in: parent.key, by: caller.thread)
  }

  /// Whether the one who moves the file made it, only to write it.
  private func isSavedBy(_ caller: Caller, _ status: FileStatus) -> Bool {
    let key = InodeKey(device: status.device, inode: status.inode)
    guard options.replace == .auto, let creator = replacements.creator(of: key, born: status.born) else { return false }
    return Replacements.isSameProcess(caller.thread, creator)
  }

  /// The object that the caller itself has just renamed away from the name.
  private func departedObject(from name: Span<UInt8>, in parent: Inode, caller: Caller) -> Inode? {
    guard options.replace != .drop, let departure = replacements.takeDeparture(from: name, in: parent.key),
      options.replace == .keep || Replacements.isSameProcess(caller.thread, departure.thread)
    else { return nil }
    return departure.inode
  }

  private func prepare(_ inode: Inode, toReplace old: Inode, takingOver: Bool) -> Replacement? {
    do throws(Errno) {
      return try table.withDescriptor(of: inode) { file throws(Errno) in
        try table.withDescriptor(of: old) { oldFile throws(Errno) in
          store.prepare(file, toReplace: oldFile, takingOver: takingOver, content: contentState(of: inode))
        }
      }
    } catch {
      Log.write(.warning, .takeOver, "skipped: \(error)")
      return nil
    }
  }

  /// Whether a writable handle to the inode is open.
  func isOpenForWriting(_ inode: Inode) -> Bool {
    table.openState(of: inode).map { open in open.lock.withLock { $0.writers > 0 } } ?? false
  }
}
