internal import SystemCalls

/// Reads objects' properties: a function of the backing file's status, its record and the xattrs that other programs
/// set there, all as they are now.
///
/// Reading a value allocates nothing; texts are handed over where they were read to. It takes no lock: whoever takes
/// another program's xattr into the record writes it before removing that, so that what the record says counts at once,
/// and what it does not say is looked for among names and plain values, and then in the record as it is by then.
package struct MetadataReader: Sendable {
  package let store: BucketStore
  package let mediaTypes: MediaTypes
  package let hasher: ContentHasher

  package init(store: BucketStore, mediaTypes: MediaTypes, hasher: ContentHasher) {
    self.store = store
    self.mediaTypes = mediaTypes
    self.hasher = hasher
  }

  /// Whether a fixed property is stored.
  package enum Presence: Sendable {
    case unset
    /// It was removed, so that nothing may be derived in its place.
    case removed
    case set
  }

  /// Hands the stored value of a fixed property to `body`. Says whether there is one, or that its absence is stored.
  package func withStored(
    _ property: StoredProperty, of object: ObjectReference, _ scratch: inout MetadataScratch,
    _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Presence {
    var presence = try withRecorded(property, of: object, &scratch, body)
    if presence != .unset { return presence }
    let names = try readNames(of: object, &scratch)
    let hasPlain = names.hasPlain ? try readPlain(property, of: object, &scratch) : false
    if names.mayHaveRecord { presence = try withRecorded(property, of: object, &scratch, body) }
    guard presence == .unset, hasPlain else { return presence }
    body(scratch.value.span)
    return .set
  }

  /// Hands the value of a fixed property to `body` where the record has it.
  private func withRecorded(
    _ property: StoredProperty, of object: ObjectReference, _ scratch: inout MetadataScratch,
    _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Presence {
    guard let record = try store.record(of: object.file, into: &scratch.record) else { return .unset }
    let presence = try presence(of: property, in: record, of: object)
    if presence == .set, let place = record.range(of: property) { body(scratch.record.span.extracting(place)) }
    return presence
  }

  /// Hands the value of a custom entry to `body`. Returns whether there is one.
  package func withCustom(
    _ key: Span<UInt8>, of object: ObjectReference, _ scratch: inout MetadataScratch, _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Bool {
    if try withRecorded(key, of: object, &scratch, body) { return true }
    let names = try readNames(of: object, &scratch)
    let hasPlain = names.hasPlain ? try readPlain(key: key, of: object, &scratch) : false
    if names.mayHaveRecord, try withRecorded(key, of: object, &scratch, body) { return true }
    if hasPlain { body(scratch.value.span) }
    return hasPlain
  }

  /// Hands the value of a custom entry to `body` where the record has it.
  private func withRecorded(
    _ key: Span<UInt8>, of object: ObjectReference, _ scratch: inout MetadataScratch, _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Bool {
    guard let record = try store.record(of: object.file, into: &scratch.record),
      let place = record.customValue(key, in: scratch.record.span)
    else { return false }
    body(scratch.record.span.extracting(place))
    return true
  }

  /// The object's version.
  package func version(
    of object: ObjectReference, _ scratch: inout MetadataScratch
  ) throws(StoreError) -> ObjectVersion {
    let record = try store.record(of: object.file, into: &scratch.record)
    return ObjectVersion(status: try status(of: object), record: record)
  }

  func status(of object: ObjectReference) throws(StoreError) -> FileStatus {
    do throws(Errno) {
      return try System.status(of: object.file)
    } catch {
      throw .system(error)
    }
  }

  /// What the record says of a fixed property.
  private func presence(
    of property: StoredProperty, in record: RecordView, of object: ObjectReference
  ) throws(StoreError) -> Presence {
    if record.isRemoved(property) { return .removed }
    guard record.range(of: property) != nil else { return .unset }
    guard property == .md5Hash else { return .set }
    return record.md5Hash(status: try status(of: object), content: object.content) == nil ? .unset : .set
  }
}

/// All that is stored of an object, to be listed.
extension MetadataReader {
  /// Reads what is stored of `object` into `scratch`.
  package func stored(
    of object: ObjectReference, _ scratch: inout MetadataScratch
  ) throws(StoreError) -> StoredMetadata {
    let names = try readNames(of: object, &scratch)
    var plain: UInt8 = 0
    if names.hasPlain, object.kind == .object {
      for index in Property.table.indices {
        guard let property = Property.table[index].stored, try readPlain(property, of: object, &scratch) else {
          continue
        }
        plain |= 1 << UInt8(property.index)
      }
    }
    let record = names.mayHaveRecord ? try store.record(of: object.file, into: &scratch.record) : nil
    return StoredMetadata(record: record, hasPlain: names.hasPlain, plainProperties: plain)
  }

  /// Whether a fixed property is among `metadata`.
  package func presence(
    of property: StoredProperty, in metadata: StoredMetadata, of object: ObjectReference
  ) throws(StoreError) -> Presence {
    if let record = metadata.record {
      let presence = try presence(of: property, in: record, of: object)
      if presence != .unset { return presence }
    }
    return metadata.plainProperties & 1 << UInt8(property.index) != 0 ? .set : .unset
  }

  /// Hands the key of each custom entry among `metadata` to `body`, each once.
  package func forEachKey(
    in metadata: StoredMetadata, _ scratch: borrowing MetadataScratch, _ body: (Span<UInt8>) -> Void
  ) {
    let bytes = scratch.record.span
    metadata.record?.forEachCustom(in: bytes) { key, _ in body(bytes.extracting(key)) }
    guard metadata.hasPlain else { return }
    XattrNames(scratch.names.span).forEach { name in
      guard case .custom(let place) = PlainName(name) else { return }
      let key = name.extracting(place)
      if metadata.record?.customValue(key, in: bytes) == nil { body(key) }
    }
  }
}
