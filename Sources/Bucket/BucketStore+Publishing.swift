internal import SystemCalls

/// Making a staged content the object.
extension BucketStore {
  /// How often an upload begins anew because somebody put another object at the name meanwhile.
  private static var attempts: Int { 100 }

  /// Puts a staged content at its name, in one step with its metadata: `metadata` and nothing else, at a generation
  /// above that of the object it replaces, whose mode, owner and ACL it keeps as far as the process may give them. If
  /// `generation` is given, only over an object that has it; 0 stands for none.
  ///
  /// When this returns, content, metadata and name outlast a power cut. Whoever updates the replaced object's metadata
  /// at the same time has done so before, or finds the new object.
  package func publish(
    _ staged: consuming StagedObject, metadata: MetadataPatch, ifGeneration generation: UInt64? = nil
  ) throws(ObjectError) {
    do throws(Errno) {
      // The bulk of it without a lock.
      try System.synchronize(staged.descriptor, dataOnly: true)
    } catch {
      throw .system(error)
    }
    var made = MadeFolders(store: self)
    let folder = try made.open(staged.path.parent ?? .root)
    for _ in 0..<Self.attempts {
      if try publishOnce(&staged, folder.descriptor, metadata, generation) {
        made.keep()
        // The content is there whatever this says.
        try? System.synchronize(folder.descriptor)
        return
      }
    }
    throw .store(.locked)
  }

  /// Returns false where the name has another object than a moment before.
  private func publishOnce(
    _ staged: inout StagedObject, _ folder: Descriptor, _ metadata: MetadataPatch, _ generation: UInt64?
  ) throws(ObjectError) -> Bool {
    let name = staged.path.lastComponent
    guard let old = try target(name, in: folder) else {
      guard generation ?? 0 == 0 else { throw .generationMismatch }
      try write(metadata, to: staged.descriptor, above: 0)
      return try move(&staged, to: name, in: folder, replacing: false)
    }
    let file = staged.descriptor
    var isMoved = false
    try withObject(file, and: old.descriptor, orElse: ObjectError.store) { () throws(ObjectError) in
      guard try stands(old.descriptor, at: name, in: folder) else { return }
      // A damaged record keeps nobody from replacing the object; its generation then counts for nothing.
      let version = try replacedVersion(of: old.descriptor)
      if let generation, generation != version?.generation { throw .generationMismatch }
      try adoptPermissions(of: old.descriptor, for: file)
      try write(metadata, to: file, above: version?.generation ?? 0)
      isMoved = try move(&staged, to: name, in: folder, replacing: true)
    }
    return isMoved
  }

  private func replacedVersion(of old: Descriptor) throws(ObjectError) -> ObjectVersion? {
    do throws(ObjectError) {
      return try version(of: old)
    } catch .store(let error) where error.isAboutTheRecord {
      return nil
    }
  }

  private func move(
    _ staged: inout StagedObject, to name: [UInt8], in folder: Descriptor, replacing: Bool
  ) throws(ObjectError) -> Bool {
    do throws(Errno) {
      try System.synchronize(staged.descriptor)
      try System.rename(
        staged.name.span, in: staged.folder.descriptor, to: name.span, in: folder, replacing ? [] : .noReplace)
    } catch .fileExists where !replacing {
      return false
    } catch {
      throw .system(error)
    }
    staged.notePublished()
    return true
  }

  /// Gives a content that has no record yet the one that it begins with. None is needed where it has no metadata and
  /// its own time is above `floor`.
  private func write(_ metadata: MetadataPatch, to file: Descriptor, above floor: UInt64) throws(ObjectError) {
    let status = try status(ofFound: file)
    let own = ObjectVersion(status: status, stored: nil)
    let version = own.raised(above: floor)
    var record = Record(version: version.pinned(Pin(status)))
    do throws(MetadataError) {
      var patch = metadata
      patch.generation = nil
      patch.metageneration = nil
      try record.apply(patch, size: status.size, version: version)
    } catch {
      throw .metadata(error)
    }
    // The content is whole, be it empty.
    record.md5IsProvisional = false
    guard !record.holdsVersionOnly || version != own else { return }
    do throws(StoreError) {
      try write(record, to: file)
    } catch {
      throw .store(error)
    }
  }

  /// Gives `new` the owner, the mode and the ACL of `old`. What belongs to somebody else stays the caller's own where he
  /// may not give files away; set-user and set-group bits go then, as with any write.
  private func adoptPermissions(of old: Descriptor, for new: Descriptor) throws(ObjectError) {
    let list = ("system.posix_acl_access" as StaticString).bytes
    do throws(Errno) {
      let status = try System.status(of: old)
      let own = try System.status(of: new)
      if (own.owner, own.group) != (status.owner, status.group) {
        do throws(Errno) {
          try System.changeOwner(of: new, owner: status.owner, group: status.group)
        } catch .notPermitted {
          try? System.changeOwner(of: new, owner: nil, group: status.group)
        }
      }
      try System.changeMode(of: new, to: status.mode & (System.effectiveUser == 0 ? 0o7777 : 0o1777))
      var buffer = ByteBuffer(capacity: 65536)
      do throws(Errno) {
        try buffer.fill { memory throws(Errno) in try System.getXattr(list, of: old, into: memory) }
        try System.setXattr(list, of: new, to: buffer.span)
      } catch .noData, .notSupported {}
    } catch {
      throw .system(error)
    }
  }
}
