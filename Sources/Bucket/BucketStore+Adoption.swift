package import SystemCalls

/// Adoption: the first change of an object's metadata takes into the record what other programs have set plainly.
extension BucketStore {
  /// What an object's record says together with what shows beside it: the whole of its metadata, decoded. Without
  /// record and plain xattrs it is an empty record of the present version.
  package func metadata(of object: Descriptor, content: ContentState) throws(StoreError) -> Record {
    var buffer = ByteBuffer(capacity: Self.bufferCapacity)
    var record = try current(of: object, content: content, &buffer).record
    Self.adopt(try plainAttributes(of: object, isFolder: try status(of: object).isDirectory), into: &record)
    return record
  }

  /// The plain xattrs of an object that stand for anything, those of the longer-lived names of properties first.
  func plainAttributes(of object: Descriptor, isFolder: Bool) throws(StoreError) -> [PlainAttribute] {
    var names = ByteBuffer(capacity: Limits.record)
    try listNames(of: object, into: &names)
    var found: [PlainAttribute] = []
    var position = 0
    while position < names.count {
      let rest = names.span.extracting(droppingFirst: position)
      let name = rest.extracting(first: rest.firstIndex(of: 0) ?? rest.count)
      position += name.count + 1
      let meaning = PlainName(name)
      if meaning == .ignored { continue }
      if isFolder, case .property = meaning { continue }
      var value = ByteBuffer(capacity: Limits.record)
      do throws(Errno) {
        try value.fill { memory throws(Errno) in try System.getXattr(name, of: object, into: memory) }
      } catch .noData {
        // Removed by somebody just now.
        continue
      } catch {
        throw error == .permissionDenied || error == .notPermitted ? .unreadableRecord : .system(error)
      }
      found.append(PlainAttribute(name: name.array, meaning: meaning, value: value.span.array))
    }
    // In the order of their names, so that what fits the limits does not depend on the filesystem's order.
    return found.sorted { $0.name.span.order(to: $1.name.span) < 0 }
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
        guard isValid(attribute.value.span, of: property) else { continue }
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
