package import SystemCalls

/// Turns a bucket back into an ordinary directory: all metadata as plain xattrs, as far as the filesystem holds them,
/// and nothing of bucketfs left.
///
/// Each object keeps its record until its plain xattrs are written, so that a crash loses nothing, and a second run
/// goes on.
package struct BucketEject {
  /// What could not be written of one object, and is gone with its record, unless the record itself is the trouble:
  /// that stays.
  package struct Loss: Hashable, Sendable {
    /// The object's name.
    package var name: [UInt8]
    package var reason: Reason

    /// What was lost.
    package enum Reason: Hashable, Sendable {
      /// A fixed property, and why.
      case property(StoredProperty, Errno)
      /// That the content type had been removed: no xattr can say so.
      case removedType
      /// A custom entry that no plain xattr can be, and why.
      case entry(key: [UInt8], Errno)
      /// All of it: the record could not be read.
      case record(StoreError)
      /// The file or folder cannot be looked at.
      case unreadable(Errno)
    }
  }

  private let store: BucketStore
  private let report: (Loss) -> Void
  private let visited: () -> Void

  /// Ejects the bucket of `store`; `report` gets each loss, `visited` is called for each object and folder.
  package static func run(
    _ store: BucketStore, visited: () -> Void = {}, report: (Loss) -> Void
  ) throws(StoreError) {
    if store.isReadOnly { throw .readOnlyBucket }
    let result = withoutActuallyEscaping(report) { report -> Result<Void, StoreError> in
      withoutActuallyEscaping(visited) { visited in
        do throws(StoreError) {
          return .success(try BucketEject(store: store, report: report, visited: visited).run())
        } catch {
          return .failure(error)
        }
      }
    }
    try result.get()
  }

  private func run() throws(StoreError) {
    BucketWalk.run(store.root) { item in
      do throws(StoreError) {
        try eject(item)
      } catch {
        let reason: Loss.Reason =
          if case .system(let errno) = error { .unreadable(errno) } else { .record(error) }
        report(Loss(name: item.name, reason: reason))
      }
      visited()
    } fail: { name, reason in
      report(Loss(name: name, reason: .unreadable(reason)))
    }
    try removeFolder()
  }

  private func eject(_ item: BucketWalk.Item) throws(StoreError) {
    var buffer = ByteBuffer(capacity: BucketStore.bufferCapacity)
    guard try store.readAttribute(of: item.descriptor, into: &buffer) else { return }
    try store.withObject(item.descriptor, orElse: { $0 }) { () throws(StoreError) in
      guard let view = try store.record(of: item.descriptor, into: &buffer) else { return }
      let record = try store.current(of: item.descriptor, content: .closed, &buffer).record
      // Out of the way, so that the xattrs have its room.
      if view.overflow == nil { try store.writeOverflowing(record, to: item.descriptor) }
      for property in StoredProperty.allCases { writeBack(property, of: record, to: item) }
      for entry in record.custom { writeBack(entry, to: item) }
      try? System.removeXattr(BucketStore.room.bytes, of: item.descriptor)
      do throws(Errno) {
        try System.removeXattr(BucketStore.attribute.bytes, of: item.descriptor)
      } catch {
        throw .system(error)
      }
    }
  }

  private func writeBack(_ property: StoredProperty, of record: Record, to item: BucketWalk.Item) {
    switch record[property] {
    case .unset: return
    case .removed: report(Loss(name: item.name, reason: .removedType))
    case .value(let value):
      do throws(Errno) {
        try set(property.name.bytes.array, to: value, of: item.descriptor)
      } catch {
        report(Loss(name: item.name, reason: .property(property, error)))
      }
    }
  }

  private func writeBack(_ entry: CustomEntry, to item: BucketWalk.Item) {
    do throws(Errno) {
      let name = Array("user.".utf8) + entry.key
      // What would not show as this entry again must not be written as something else.
      guard case .custom = PlainName(name.span) else { throw .invalidArgument }
      guard name.count <= AttributeName.limit else { throw .outOfRange }
      try set(entry.key, to: entry.value, of: item.descriptor)
    } catch {
      report(Loss(name: item.name, reason: .entry(key: entry.key, error)))
    }
  }

  private func set(_ key: [UInt8], to value: [UInt8], of object: Descriptor) throws(Errno) {
    let name = Array("user.".utf8) + key
    try System.setXattr(name.span, of: object, to: value.span)
  }

  /// Removes `.bucketfs` with all that bucketfs has put there. What somebody else did stays, and so does the folder:
  /// ENOTEMPTY.
  private func removeFolder() throws(StoreError) {
    try store.locks.withBucketLock(orElse: { $0 }) { () throws(StoreError) in
      do throws(Errno) {
        guard let folder = try store.folder.directory(make: false) else { return }
        for name in try BucketWalk.entries(of: folder.descriptor) where name.count >= OverflowName.length {
          guard OverflowName.isValid(name.span.extracting(first: OverflowName.length)) else { continue }
          try System.unlink(name.span, in: folder.descriptor)
        }
        try System.unlink(PrivateFolder.lockName.bytes, in: folder.descriptor)
        try System.removeDirectory(PrivateFolder.name.bytes, in: store.root)
      } catch {
        throw .system(error)
      }
    }
  }
}
