package import SystemCalls

/// Properties as text.
extension MetadataReader {
  /// How a property reads.
  package enum Answer: Sendable {
    /// Its text was appended.
    case value
    /// It is not set.
    case unset
    /// The digest of the content, which would first have to be computed.
    case uncomputed
  }

  /// Appends the text of a property of `object`; customMetadata's is JSON.
  ///
  /// Folders have no other properties than `Property.isOnFolders` says: the caller sees to that.
  package func append<Naming: ObjectNaming & ~Copyable>(
    _ property: Property, of object: ObjectReference, _ naming: borrowing Naming, _ scratch: inout MetadataScratch,
    to output: inout ByteBuffer
  ) throws(StoreError) -> Answer {
    switch property.source {
    case .bucketName:
      let name = store.name
      output.append(name.span)
    case .objectName:
      return try appendName(to: &output) { output throws(Errno) in try naming.appendObjectName(to: &output) }
    case .lastComponent:
      return try appendName(to: &output) { output throws(Errno) in try naming.appendLastComponent(to: &output) }
    case .size:
      output.append(decimal: try status(of: object).size)
    case .generation, .metageneration, .timeCreated, .updated:
      let metadata = try stored(of: object, &scratch)
      append(property, ObjectVersion(status: try status(of: object), record: metadata.record), to: &output)
    case .stored(let stored, let fallback):
      let metadata = try self.stored(of: object, &scratch)
      return try append(stored, otherwise: fallback, metadata, of: object, naming, &scratch, to: &output)
    case .customMetadata:
      let metadata = try stored(of: object, &scratch)
      return try appendCustomMetadata(metadata, of: object, &scratch, to: &output) ? .value : .unset
    }
    return .value
  }

  private func append(_ property: Property, _ version: ObjectVersion, to output: inout ByteBuffer) {
    switch property.source {
    case .generation: output.append(decimal: version.generation)
    case .metageneration: output.append(decimal: version.metageneration)
    case .timeCreated: output.append(rfc3339: version.timeCreated)
    case .updated: output.append(rfc3339: version.updated)
    case .bucketName, .objectName, .lastComponent, .size, .stored, .customMetadata: break
    }
  }

  /// Appends what is stored of a fixed property, or else what `fallback` says.
  package func append<Naming: ObjectNaming & ~Copyable>(
    _ property: StoredProperty, otherwise fallback: Property.Fallback, _ metadata: StoredMetadata,
    of object: ObjectReference, _ naming: borrowing Naming, _ scratch: inout MetadataScratch,
    to output: inout ByteBuffer
  ) throws(StoreError) -> Answer {
    switch try withStored(property, metadata, of: object, &scratch, { output.append($0) }) {
    case .set: return .value
    case .removed: return .unset
    case .unset: break
    }
    switch fallback {
    case .nothing:
      return .unset
    case .mediaType:
      scratch.value.removeAll()
      let answer = try appendName(to: &scratch.value) { value throws(Errno) in
        try naming.appendLastComponent(to: &value)
      }
      guard answer == .value else { return .unset }
      mediaTypes.append(typeOf: scratch.value.span, to: &output)
      return .value
    case .digest:
      guard object.content == .closed, let digest = hasher.remembered(try status(of: object)) else {
        return .uncomputed
      }
      output.append(base64: digest)
      return .value
    }
  }

  private func appendName(
    to output: inout ByteBuffer, _ body: (inout ByteBuffer) throws(Errno) -> Void
  ) throws(StoreError) -> Answer {
    do throws(Errno) {
      try body(&output)
      return .value
    } catch .noData {
      return .unset
    } catch {
      throw .system(error)
    }
  }
}
