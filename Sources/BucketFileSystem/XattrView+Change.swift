package import Bucket
package import SystemCalls

extension XattrView {
  /// Sets `name` to `value`. Where md5Hash is verified, `digest` is what a `needsDigest` of the same change asked for.
  ///
  /// Throws for each refusal what the documentation's table of errors has; the stored state is then as it was.
  package func set(
    _ name: Span<UInt8>, to value: Span<UInt8>, _ flags: XattrFlags, of object: ObjectReference,
    digest: ContentDigest? = nil
  ) throws(Errno) -> XattrChange {
    guard !store.isReadOnly else { throw .readOnlyFileSystem }
    let change: MetadataChange
    do throws(MetadataError) {
      change = try self.change(setting: AttributeName(name, options.names), name, to: value, flags, of: object.kind)
    } catch {
      throw Errno(error)
    }
    return try carryOut(change, on: object, digest)
  }

  /// Removes `name`. Throws ENODATA where it is not set.
  package func remove(_ name: Span<UInt8>, of object: ObjectReference) throws(Errno) {
    guard !store.isReadOnly else { throw .readOnlyFileSystem }
    let change: MetadataChange
    do throws(MetadataError) {
      change = try self.change(removing: AttributeName(name, options.names), name, of: object.kind)
    } catch {
      throw Errno(error)
    }
    _ = try carryOut(change, on: object, nil)
  }

  /// What removing `name` asks for.
  private func change(
    removing attribute: AttributeName, _ name: Span<UInt8>, of kind: ObjectReference.Kind
  ) throws(MetadataError) -> MetadataChange {
    switch attribute {
    case .unsupported, .security: throw .unsupportedName
    case .emptyKey: throw .emptyKey
    case .json, .update, .status, .reserved: throw .readOnlyProperty
    case .property(let property):
      return .remove(try Self.writable(property, of: kind))
    case .custom(let key):
      guard kind != .other else { throw .notOnFolders }
      return .removeEntry(key: name.extracting(key).array)
    case .customMetadata:
      guard kind != .other else { throw .notOnFolders }
      return .removeEntries
    }
  }

  /// What setting `name` to `value` asks for.
  private func change(
    setting attribute: AttributeName, _ name: Span<UInt8>, to value: Span<UInt8>, _ flags: XattrFlags,
    of kind: ObjectReference.Kind
  ) throws(MetadataError) -> MetadataChange {
    switch attribute {
    case .unsupported, .security: throw .unsupportedName
    case .emptyKey: throw .emptyKey
    case .json, .status, .reserved: throw .readOnlyProperty
    case .property(let property):
      if !property.isWritable, options.foreign == .keep, kind != .other {
        return try entry(property.name.bytes, value, flags)
      }
      let stored = try Self.writable(property, of: kind)
      try Self.check(flags)
      try property.check(value)
      return .set(stored, value.array, flags)
    case .custom(let key):
      guard kind != .other else { throw .notOnFolders }
      return try entry(name.extracting(key), value, flags)
    case .customMetadata:
      guard kind != .other else { throw .notOnFolders }
      try Self.check(flags)
      return .replaceEntries(try CustomEntry.entries(json: value), flags)
    case .update:
      guard kind != .other else { throw .notOnFolders }
      guard flags.isEmpty else { throw .conflictingFlags }
      return .patch(try MetadataPatch(json: value, onFolder: kind.isFolder))
    }
  }

  private func entry(
    _ key: Span<UInt8>, _ value: Span<UInt8>, _ flags: XattrFlags
  ) throws(MetadataError) -> MetadataChange {
    try Self.check(flags)
    try CustomEntry.check(key: key)
    try CustomEntry.check(value: value)
    return .setEntry(CustomEntry(key: key.array, value: value.array), flags)
  }

  /// What the record calls `property`, if it can be set on a file of that kind.
  private static func writable(
    _ property: Property, of kind: ObjectReference.Kind
  ) throws(MetadataError) -> StoredProperty {
    guard let stored = property.stored else { throw .readOnlyProperty }
    guard kind == .object else { throw .notOnFolders }
    return stored
  }

  private static func check(_ flags: XattrFlags) throws(MetadataError) {
    if flags.contains(.create), flags.contains(.replace) { throw .conflictingFlags }
  }
}

extension XattrView {
  /// Why a change that the store has begun does not happen.
  private enum Refusal: Error {
    case metadata(MetadataError)
    case needsDigest
  }

  private func carryOut(
    _ change: MetadataChange, on object: ObjectReference, _ digest: ContentDigest?
  ) throws(Errno) -> XattrChange {
    var before: FileStatus?
    do throws(ChangeError<Refusal>) {
      try store.change(object.file, content: object.content) { record, status throws(Refusal) in
        before = status
        if options.verifyMD5, status.size > 0, let text = change.digest {
          try verify(text, status, object.content, digest)
        }
        do throws(MetadataError) {
          return try record.make(change, status: status)
        } catch {
          throw .metadata(error)
        }
      }
    } catch {
      switch error {
      case .refused(.needsDigest): return .needsDigest
      case .refused(.metadata(let reason)): throw Errno(reason)
      case .store(let reason): throw errno(reason, of: object)
      }
    }
    if let before { reader.hasher.noteOwnChange(of: object.file, from: before) }
    return .done
  }

  /// Throws where the content of `status` is not that of the digest in `text`, or where nobody knows yet.
  private func verify(
    _ text: [UInt8], _ status: FileStatus, _ content: ContentState, _ digest: ContentDigest?
  ) throws(Refusal) {
    let known: MD5Digest? =
      if let digest, digest.pin == Pin(status) {
        digest.digest
      } else if content == .closed {
        reader.hasher.remembered(status)
      } else {
        nil
      }
    guard let known else { throw .needsDigest }
    guard MD5Digest(base64: text.span) == known else { throw .metadata(.digestMismatch) }
  }
}
