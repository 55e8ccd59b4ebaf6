package import SystemCalls

/// One change of an object's metadata, whose names and values were checked.
package enum MetadataChange: Sendable {
  case set(StoredProperty, [UInt8], XattrFlags)
  case remove(StoredProperty)
  case setEntry(CustomEntry, XattrFlags)
  case removeEntry(key: [UInt8])
  /// All entries at once; those that are no text stay.
  case replaceEntries([CustomEntry], XattrFlags)
  case removeEntries
  case patch(MetadataPatch)

  /// The base64 of the digest that it stores, nil where it stores none.
  package var digest: [UInt8]? {
    switch self {
    case .set(.md5Hash, let value, _): value
    case .patch(let patch): patch.properties[.md5Hash] ?? nil
    case .set, .remove, .setEntry, .removeEntry, .replaceEntries, .removeEntries: nil
    }
  }
}

extension Record {
  /// Makes `change` on the record of a file of `status`, or throws and has changed nothing. Returns whether it is a
  /// change of metadata: an update that only asks for a generation is none.
  package mutating func make(_ change: MetadataChange, status: FileStatus) throws(MetadataError) -> Bool {
    switch change {
    case .set(let property, let value, let flags): try set(property, to: value, flags, size: status.size)
    case .remove(let property): try remove(property)
    case .setEntry(let entry, let flags): try set(entry, flags)
    case .removeEntry(let key): try remove(custom: key.span)
    case .replaceEntries(let entries, let flags): try replaceCustomMetadata(with: entries, flags)
    case .removeEntries: try removeCustomMetadata()
    case .patch(let patch):
      // A folder has no generation that a patch could ask for.
      let version = status.isDirectory ? nil : ObjectVersion(status: status, stored: version)
      try apply(patch, size: status.size, version: version)
      return !patch.isEmpty
    }
    return true
  }
}
