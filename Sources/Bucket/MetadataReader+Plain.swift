internal import SystemCalls

/// The xattrs of a backing file: its record, and what other programs have set there.
extension MetadataReader {
  /// What there is among the names of a file's xattrs.
  struct Names {
    var hasRecord = false
    /// Whether others set some that count as metadata.
    var hasPlain = false

    /// Whether there can be a record by now: it may have been made to take in what others set.
    var mayHaveRecord: Bool { hasRecord || hasPlain }
  }

  /// Reads the names into the scratch's `names`.
  func readNames(of object: ObjectReference, _ scratch: inout MetadataScratch) throws(StoreError) -> Names {
    do throws(Errno) {
      try scratch.names.fill { memory throws(Errno) in try System.listXattrs(of: object.file, into: memory) }
    } catch .notSupported {
      // A filesystem mounted below the bucket may know no xattrs: its objects have no metadata.
      scratch.names.removeAll()
    } catch {
      throw .system(error)
    }
    var found = Names()
    XattrNames(scratch.names.span).forEach { name in
      if name.equals(BucketStore.attribute.bytes) {
        found.hasRecord = true
      } else if !found.hasPlain {
        found.hasPlain = PlainName(name) != .ignored
      }
    }
    return found
  }

  /// Reads the value that stands for `property` into the scratch's `value`. Returns whether there is a valid one; that
  /// under the property's own name comes before that under another.
  func readPlain(
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

  /// Reads the value that stands for the custom entry `key` into the scratch's `value`. Returns whether there is one.
  func readPlain(
    key: Span<UInt8>, of object: ObjectReference, _ scratch: inout MetadataScratch
  ) throws(StoreError) -> Bool {
    var found: Range<Int>?
    XattrNames(scratch.names.span).forEach(withPlaces: { name, place in
      if case .custom(let part) = PlainName(name), name.extracting(part).equals(key) { found = place }
    })
    guard let found else { return false }
    return try readXattr(found, scratch.names, of: object, into: &scratch.value)
  }

  /// Reads an xattr. Returns false where it is gone: taken into the record, or removed.
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
