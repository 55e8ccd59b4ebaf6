internal import SystemCalls

/// Reads objects' properties: a function of the backing file's status, its record and the xattrs that other programs
/// set there, all as they are now.
///
/// Reading a value allocates nothing; texts are handed over where they were read to.
package struct MetadataReader: Sendable {
  package let store: BucketStore
  package let mediaTypes: MediaTypes
  package let hasher: ContentHasher

  package init(store: BucketStore, mediaTypes: MediaTypes, hasher: ContentHasher) {
    self.store = store
    self.mediaTypes = mediaTypes
    self.hasher = hasher
  }

  /// Reads what is stored of `object` into `scratch`.
  ///
  /// The names come first: whoever takes another program's xattrs into the record writes it before removing them, so
  /// that what is no longer among the names is in the record.
  package func stored(
    of object: ObjectReference, _ scratch: inout MetadataScratch
  ) throws(StoreError) -> StoredMetadata {
    do throws(Errno) {
      try scratch.names.fill { memory throws(Errno) in try System.listXattrs(of: object.file, into: memory) }
    } catch .notSupported {
      // A filesystem mounted below the bucket may know no xattrs: its objects have no metadata.
      scratch.names.removeAll()
    } catch {
      throw .system(error)
    }
    var hasRecord = false
    var hasPlain = false
    XattrNames(scratch.names.span).forEach { name in
      if name.equals(BucketStore.attribute.bytes) {
        hasRecord = true
      } else if !hasPlain {
        hasPlain = PlainName(name) != .ignored
      }
    }
    return StoredMetadata(
      record: hasRecord ? try store.record(of: object.file, into: &scratch.record) : nil, hasPlain: hasPlain)
  }

  /// Hands the stored value of a fixed property to `body`. Says whether there is one, or that its absence is stored.
  package func withStored(
    _ property: StoredProperty, _ metadata: StoredMetadata, of object: ObjectReference,
    _ scratch: inout MetadataScratch, _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Presence {
    if let record = metadata.record {
      if property == .md5Hash {
        guard record.range(of: .md5Hash) != nil else { return .unset }
        let status = try status(of: object)
        guard let place = record.md5Hash(status: status, content: object.content) else { return .unset }
        body(scratch.record.span.extracting(place))
        return .set
      }
      if record.isRemoved(property) { return .removed }
      if let place = record.range(of: property) {
        body(scratch.record.span.extracting(place))
        return .set
      }
    }
    guard metadata.hasPlain, try readPlain(property, of: object, &scratch) else { return .unset }
    body(scratch.value.span)
    return .set
  }

  /// Whether a fixed property is stored.
  package enum Presence: Sendable {
    case unset
    /// It was removed, so that nothing may be derived in its place.
    case removed
    case set
  }

  /// Hands the value of a custom entry to `body`. Returns whether there is one.
  package func withCustom(
    _ key: Span<UInt8>, _ metadata: StoredMetadata, of object: ObjectReference, _ scratch: inout MetadataScratch,
    _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Bool {
    if let place = metadata.record?.customValue(key, in: scratch.record.span) {
      body(scratch.record.span.extracting(place))
      return true
    }
    guard metadata.hasPlain, let name = plainName(of: key, scratch),
      try readXattr(name, scratch.names, of: object, into: &scratch.value)
    else { return false }
    body(scratch.value.span)
    return true
  }

  /// Hands the key of each custom entry to `body`, each once.
  package func forEachKey(
    _ metadata: StoredMetadata, _ scratch: borrowing MetadataScratch, _ body: (Span<UInt8>) -> Void
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

  func status(of object: ObjectReference) throws(StoreError) -> FileStatus {
    do throws(Errno) {
      return try System.status(of: object.file)
    } catch {
      throw .system(error)
    }
  }
}

/// The xattrs that other programs set.
extension MetadataReader {
  /// Reads the value that stands for `property` into the scratch's `value`. Returns whether there is a valid one; that
  /// under the property's own name comes before that under another.
  private func readPlain(
    _ property: StoredProperty, of object: ObjectReference, _ scratch: inout MetadataScratch
  ) throws(StoreError) -> Bool {
    let row = Property.row(of: property)
    var places: InlineArray<2, Range<Int>?> = [nil, nil]
    XattrNames(scratch.names.span).forEach(withPlaces: { name, place in
      guard PlainName(name) == .property(property) else { return }
      places[AttributeName.isFreedesktopType(name) ? 1 : 0] = place
    })
    for index in places.indices {
      guard let place = places[index],
        try readXattr(place, scratch.names, of: object, into: &scratch.value)
      else { continue }
      if (try? row.check(scratch.value.span)) != nil { return true }
    }
    return false
  }

  /// Where among the names the one is whose key is `key`.
  private func plainName(of key: Span<UInt8>, _ scratch: borrowing MetadataScratch) -> Range<Int>? {
    var found: Range<Int>?
    XattrNames(scratch.names.span).forEach(withPlaces: { name, place in
      if case .custom(let part) = PlainName(name), name.extracting(part).equals(key) { found = place }
    })
    return found
  }

  /// Reads an xattr of the backing file. Returns false where it is gone or not for this process to read.
  private func readXattr(
    _ place: Range<Int>, _ names: borrowing ByteBuffer, of object: ObjectReference, into value: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    let name = names.span.extracting(place)
    do throws(Errno) {
      try value.fill { memory throws(Errno) in try System.getXattr(name, of: object.file, into: memory) }
      return true
    } catch .noData {
      return false
    } catch {
      throw .system(error)
    }
  }
}
