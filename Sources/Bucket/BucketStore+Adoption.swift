package import SystemCalls

/// Adoption: the first change of an object's metadata takes into the record what other programs have set plainly.
extension BucketStore {
  /// What an object's record says together with what shows beside it: the whole of its metadata, decoded. Without
  /// record and plain xattrs it is an empty record of the present version.
  package func metadata(of object: Descriptor, content: ContentState) throws(StoreError) -> Record {
    try state(of: object, isFolder: try status(of: object).isDirectory, content: content).record
  }

  /// The same with the status that it goes by, for a caller who knows whether the object is a folder.
  package func state(of object: Descriptor, isFolder: Bool, content: ContentState) throws(StoreError) -> ObjectState {
    try withBuffer { buffer throws(StoreError) in
      // The names come first: whoever takes one in writes the record before removing it.
      let plain = try plainAttributes(of: object, isFolder: isFolder, &buffer)
      let current = try current(of: object, content: content, &buffer)
      var record = current.record
      Self.adopt(plain, into: &record)
      return ObjectState(record: record, status: current.status)
    }
  }

  /// The plain xattrs of an object that stand for anything, in the order of their names, so that what fits the limits does
  /// not depend on the filesystem's order.
  ///
  /// `buffer` must hold 64 KiB and is overwritten.
  func plainAttributes(
    of object: Descriptor, isFolder: Bool, _ buffer: inout ByteBuffer
  ) throws(StoreError) -> [PlainAttribute] {
    do throws(Errno) {
      try buffer.fill { memory throws(Errno) in try System.listXattrs(of: object, into: memory) }
    } catch .notSupported {
      // A filesystem without xattrs: none are there.
      buffer.removeAll()
    } catch {
      throw .system(error)
    }
    var found: [(name: [UInt8], meaning: PlainName)] = []
    XattrNames(buffer.span).forEach { name in
      let meaning = PlainName(name)
      switch meaning {
      case .ignored: break
      case .property: if !isFolder { found.append((name.array, meaning)) }
      case .custom: found.append((name.array, meaning))
      }
    }
    found.sort { $0.name.span.order(to: $1.name.span) < 0 }
    var attributes: [PlainAttribute] = []
    for (name, meaning) in found {
      guard let value = try plainValue(name, of: object, &buffer) else { continue }
      attributes.append(PlainAttribute(name: name, meaning: meaning, value: value))
    }
    return attributes
  }

  /// The value of a plain xattr, nil where somebody has removed it just now.
  private func plainValue(
    _ name: [UInt8], of object: Descriptor, _ buffer: inout ByteBuffer
  ) throws(StoreError) -> [UInt8]? {
    do throws(Errno) {
      try buffer.fill { memory throws(Errno) in try System.getXattr(name.span, of: object, into: memory) }
      return buffer.span.array
    } catch {
      if error == .noData { return nil }
      throw error == .permissionDenied || error == .notPermitted ? .unreadableRecord : .system(error)
    }
  }

  /// Takes into `record` what of `plain` is valid, free and within the limits; entries that are not go to `unadopted`.
  /// Returns those that the record now holds, or held before.
  @discardableResult
  static func adopt(_ plain: [PlainAttribute], into record: inout Record) -> [PlainAttribute] {
    var held: [PlainAttribute] = []
    var total = record.customTotal
    for attribute in plain {
      if attribute.isShadowed(by: record) {
        held.append(attribute)
        continue
      }
      switch attribute.meaning {
      case .ignored: continue
      case .property(let property):
        guard (try? Property.row(of: property).check(attribute.value.span)) != nil else { continue }
        record[property] = .value(attribute.value)
        held.append(attribute)
      case .custom(let range):
        let entry = CustomEntry(key: Array(attribute.name[range]), value: attribute.value)
        guard entry.value.count <= Limits.value, total + entry.count <= Limits.customTotal else {
          record.unadopted.append(entry)
          continue
        }
        total += entry.count
        record.setCustom(entry)
        held.append(attribute)
      }
    }
    return held
  }
}
