package import SystemCalls

/// Changing an object's metadata.
extension BucketStore {
  /// Changes the object's metadata under its lock: `body` gets the record as it is, plain xattrs taken in, and the
  /// file's status; it returns whether it changed anything, and must throw before it has. The metageneration then grows
  /// by one. `content` says whether this process has the file open for writing. If `waiting` is false, an object that is
  /// locked fails at once. Returns the metadata as it is then, with the status from before.
  ///
  /// A crash leaves the old or the new metadata. What the record takes in from plain xattrs is removed from there
  /// afterwards, while it is shadowed by the record; only where the change removes it from the record too must that
  /// come first.
  @discardableResult
  package func change<Refusal: Error>(
    _ object: Descriptor, content: ContentState, waiting: Bool = true,
    _ body: (inout Record, FileStatus) throws(Refusal) -> Bool
  ) throws(ChangeError<Refusal>) -> ObjectState {
    try withObject(object, waiting: waiting, orElse: ChangeError<Refusal>.store) { () throws(ChangeError<Refusal>) in
      let plan: Plan
      do throws(StoreError) {
        plan = try self.plan(object, content: content)
      } catch {
        throw .store(error)
      }
      var changed = plan.record
      let isChanged: Bool
      do throws(Refusal) {
        isChanged = try body(&changed, plan.status)
      } catch {
        throw .refused(error)
      }
      guard isChanged else { return ObjectState(record: plan.record, status: plan.status) }
      changed.version = plan.version.changed(at: Clock.now, pin: Pin(plan.status))
      do throws(StoreError) {
        try carryOut(plan, changed, on: object)
      } catch {
        throw .store(error)
      }
      return ObjectState(record: changed, status: plan.status)
    }
  }

  /// What a change starts from.
  private struct Plan {
    /// The metadata as it shows, at the version that shows.
    var record: Record
    var status: FileStatus
    var version: ObjectVersion
    /// The plain xattrs that `record` holds.
    var held: [PlainAttribute]
    /// Whether the stored record has all that `record` has.
    var isStored: Bool
  }

  private func plan(_ object: Descriptor, content: ContentState) throws(StoreError) -> Plan {
    try withBuffer { buffer throws(StoreError) in
      let current = try current(of: object, content: content, &buffer)
      var record = current.record
      let plain = try plainAttributes(of: object, isFolder: current.status.isDirectory, &buffer)
      let held = Self.adopt(plain, into: &record)
      return Plan(
        record: record, status: current.status, version: current.version, held: held,
        isStored: current.isStored && held.allSatisfy { $0.isShadowed(by: current.record) })
    }
  }

  private func carryOut(_ plan: Plan, _ changed: Record, on object: Descriptor) throws(StoreError) {
    let removed = plan.held.filter { !$0.isShadowed(by: changed) }
    let overLimit = plan.record.unadopted.filter { !changed.unadopted.contains($0) }
    if !removed.isEmpty || !overLimit.isEmpty {
      if !plan.isStored { try write(plan.record, to: object) }
      for attribute in removed { try removePlain(attribute.name, of: object) }
      for entry in overLimit { try removePlain(Array("user.".utf8) + entry.key, of: object) }
    }
    try write(changed, to: object)
    for attribute in plan.held where attribute.isShadowed(by: changed) {
      // It does not show any more, whether it goes or not.
      try? removePlain(attribute.name, of: object)
    }
  }

  private func removePlain(_ name: [UInt8], of object: Descriptor) throws(StoreError) {
    do throws(Errno) {
      try System.removeXattr(name.span, of: object)
    } catch .noData {
      // Somebody else was faster.
    } catch {
      throw .system(error)
    }
  }

  // MARK: What pins and changes share

  /// An object as it is now.
  struct Current {
    /// The stored record at the version that shows, without a digest that holds no more.
    var record: Record
    var status: FileStatus
    var version: ObjectVersion
    /// Whether there is a record that says just this.
    var isStored: Bool
  }

  /// Reads an object's status and record. The object's lock must be held if what comes of it is to be written.
  func current(
    of object: Descriptor, content: ContentState, _ buffer: inout ByteBuffer
  ) throws(StoreError) -> Current {
    let view = try record(of: object, into: &buffer)
    let status = try status(of: object)
    let version = ObjectVersion(status: status, stored: view?.version)
    let pinned = version.pinned(Pin(status))
    guard let view else {
      return Current(record: Record(version: pinned), status: status, version: version, isStored: false)
    }
    var record = Record(view, in: buffer.span)
    if view.md5Hash(status: status, content: content) == nil {
      record[.md5Hash] = .unset
      record.md5IsProvisional = false
    }
    let isStored = record.version == pinned && (record[.md5Hash] == .unset) == (view.range(of: .md5Hash) == nil)
    record.version = pinned
    return Current(record: record, status: status, version: version, isStored: isStored)
  }

  /// Runs `body` under the object's lock.
  func withObject<Result, Failure: Error>(
    _ object: Descriptor, and other: Descriptor? = nil, waiting: Bool = true, orElse failure: (StoreError) -> Failure,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isReadOnly { throw failure(.readOnlyBucket) }
    let byte: Int
    var otherByte: Int?
    do throws(StoreError) {
      byte = ObjectLocks.byte(of: try status(of: object))
      if let other { otherByte = ObjectLocks.byte(of: try status(of: other)) }
    } catch {
      throw failure(error)
    }
    return try locks.withLock(byte, and: otherByte, waiting: waiting, orElse: failure, body)
  }

  /// statx of the object.
  func status(of object: Descriptor) throws(StoreError) -> FileStatus {
    do throws(Errno) {
      return try System.status(of: object)
    } catch {
      throw .system(error)
    }
  }

  /// Replaces the object's record in one step: whole in the xattr where it fits, else with all but the version in an
  /// overflow file.
  func write(_ record: Record, to object: Descriptor) throws(StoreError) {
    guard record.customTotal <= Limits.customTotal else { throw .noRoom }
    let whole = record.encoded()
    // Nothing is ever written that could not be read.
    guard (try? RecordView(validating: whole.span)) != nil else { throw .system(.invalidArgument) }
    do throws(Errno) {
      do throws(Errno) {
        try store(whole.span, on: object)
      } catch {
        guard error == .noSpace || error == .argumentListTooLong, record.canOverflow else { throw error }
        try overflow(record, to: object)
      }
    } catch .noSpace, .argumentListTooLong {
      throw .noRoom
    } catch {
      throw .system(error)
    }
  }

  /// Replaces the object's record by one that is split, although it may fit whole.
  func writeOverflowing(_ record: Record, to object: Descriptor) throws(StoreError) {
    guard record.canOverflow else { return }
    do throws(Errno) {
      try overflow(record, to: object)
    } catch {
      throw .system(error)
    }
  }

  private func overflow(_ record: Record, to object: Descriptor) throws(Errno) {
    let name = try folder.writeOverflow(record.encodedOverflow())
    try store(record.encodedHead(overflow: name).span, on: object)
  }
}
