internal import Bucket
internal import SystemCalls

extension BucketAccess {
  /// What is stored of an object. Throws `unknowable` where a mount shows derived values among what is stored.
  func stored(of object: Reached) throws(AccessError) -> StoredEntry {
    switch way {
    case .directory(let reader):
      do throws(StoreError) {
        return StoredEntry(name: object.name, try reader.store.metadata(of: object.file, content: .closed))
      } catch {
        throw .store(error)
      }
    case .mount: return try mounted(object)
    }
  }

  /// What a mount lists is what is stored; that a contentType was removed shows by its absence, and keys too long for
  /// an attribute's name are in the JSON of all.
  private func mounted(_ object: Reached) throws(AccessError) -> StoredEntry {
    var entry = StoredEntry(name: object.name)
    for name in try listed(object) {
      switch AttributeName(name.span, .headers) {
      case .property(let property):
        guard let stored = property.stored else { throw .derivedValuesListed }
        if let value = try value(name, of: object) { entry.properties[stored] = .value(value) }
      case .custom(let range):
        if let value = try value(name, of: object) { entry.custom[Array(name[range])] = value }
      case .customMetadata, .json, .update, .status, .reserved, .emptyKey, .security, .unsupported: break
      }
    }
    if let json = try value(Array("user.customMetadata".utf8), of: object) {
      for member in (try? JSONValue.members(of: json.span, depth: 1)) ?? [] {
        if case .string(let text) = member.value { entry.custom[member.key] = text }
      }
    }
    if object.kind == .object, try value(Array("user.contentType".utf8), of: object) == nil {
      entry.properties[.contentType] = .removed
    }
    return entry
  }

  private func listed(_ object: Reached) throws(AccessError) -> [[UInt8]] {
    var names = ByteBuffer(capacity: 1 << 16)
    do throws(Errno) {
      try names.fill { memory throws(Errno) in try System.listXattrs(of: object.file, into: memory) }
    } catch {
      throw .system(error)
    }
    return names.array.split(separator: 0).map(Array.init)
  }

  private func value(_ name: [UInt8], of object: Reached) throws(AccessError) -> [UInt8]? {
    var value = ByteBuffer(capacity: 1 << 16)
    do throws(Errno) {
      try value.fill { memory throws(Errno) in try System.getXattr(name.span, of: object.file, into: memory) }
      return value.array
    } catch .noData {
      return nil
    } catch {
      throw .system(error)
    }
  }

  /// Makes what is stored of an object exactly `wanted`, where `present` is what is stored now.
  func replace(_ present: StoredEntry, of object: Reached, with wanted: StoredEntry) throws(AccessError) {
    switch way {
    case .directory(let reader):
      try change(object, in: reader.store) { record, status throws(MetadataError) in
        try Self.replace(&record, with: wanted, size: status.size)
        return true
      }
    case .mount:
      var patch = MetadataPatch()
      for property in StoredProperty.allCases where wanted.properties[property] != present.properties[property] {
        switch wanted.properties[property] ?? .unset {
        case .value(let text): patch.properties[property] = text
        case .removed: patch.properties[property] = .some(nil)
        // A mount can forget a removed or set contentType in no way but by setting another.
        case .unset where property == .contentType: throw .cannotForgetType
        case .unset: patch.properties[property] = .some(nil)
        }
      }
      var entries: [[UInt8]: [UInt8]?] = [:]
      for key in Set(present.custom.keys).union(wanted.custom.keys) where wanted.custom[key] != present.custom[key] {
        let entry = CustomEntry(key: key, value: wanted.custom[key] ?? present.custom[key] ?? [])
        guard entry.isJSONText else {
          try setBinary(key, wanted.custom[key], of: object)
          continue
        }
        entries[key] = .some(wanted.custom[key])
      }
      patch.customMetadata = .merge(entries)
      if !patch.isEmpty { try change(object, patch) }
    }
  }

  private static func replace(
    _ record: inout Record, with wanted: StoredEntry, size: UInt64
  ) throws(MetadataError) {
    var changed = record
    for property in StoredProperty.allCases {
      let value = wanted.properties[property] ?? .unset
      guard changed[property] != value else { continue }
      if case .value(let text) = value {
        try changed.set(property, to: text, size: size)
      } else {
        changed[property] = value
      }
    }
    for entry in changed.custom + changed.unadopted where wanted.custom[entry.key] == nil {
      changed.removeCustom(entry.key.span)
    }
    for (key, value) in wanted.custom where changed.customValue(key.span) != value {
      changed.setCustom(CustomEntry(key: key, value: value))
    }
    guard changed.customTotal <= Limits.customTotal else { throw .customMetadataFull }
    record = changed
  }

  private func setBinary(_ key: [UInt8], _ value: [UInt8]?, of object: Reached) throws(AccessError) {
    let name = Array("user.customMetadata.".utf8) + key
    do throws(Errno) {
      if let value {
        try System.setXattr(name.span, of: object.file, to: value.span)
      } else {
        try System.removeXattr(name.span, of: object.file)
      }
    } catch {
      throw .system(error)
    }
  }
}
