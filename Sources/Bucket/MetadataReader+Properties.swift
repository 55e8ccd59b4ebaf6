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
    case .bucketName, .objectName, .lastComponent:
      return try append(named: property.source, naming, to: &output)
    case .size: output.append(decimal: try status(of: object).size)
    case .generation: output.append(decimal: try version(of: object, &scratch).generation)
    case .metageneration: output.append(decimal: try version(of: object, &scratch).metageneration)
    case .timeCreated: output.append(rfc3339: try version(of: object, &scratch).timeCreated)
    case .updated: output.append(rfc3339: try version(of: object, &scratch).updated)
    case .stored(let stored, let fallback):
      switch try withStored(stored, of: object, &scratch, { output.append($0) }) {
      case .set: return .value
      case .removed: return .unset
      case .unset: return try append(fallback, pin: nil, of: object, naming, &scratch.value, to: &output)
      }
    case .customMetadata:
      return try appendCustomMetadata(of: object, to: &output) ? .value : .unset
    }
    return .value
  }

  /// Appends the bucket's name or one of the object's.
  func append<Naming: ObjectNaming & ~Copyable>(
    named source: Property.Source, _ naming: borrowing Naming, to output: inout ByteBuffer
  ) throws(StoreError) -> Answer {
    do throws(Errno) {
      switch source {
      case .objectName: try naming.appendObjectName(to: &output)
      case .lastComponent: try naming.appendLastComponent(to: &output)
      default:
        let name = store.name
        output.append(name.span)
      }
      return .value
    } catch .noData {
      return .unset
    } catch {
      throw .system(error)
    }
  }

  /// Appends what a property reads as that is not set. With a `pin` only a digest of that very content counts; `name`
  /// is memory for the object's name.
  func append<Naming: ObjectNaming & ~Copyable>(
    _ fallback: Property.Fallback, pin: Pin?, of object: ObjectReference, _ naming: borrowing Naming,
    _ name: inout ByteBuffer, to output: inout ByteBuffer
  ) throws(StoreError) -> Answer {
    switch fallback {
    case .nothing:
      return .unset
    case .mediaType:
      name.removeAll()
      let answer = try append(named: .lastComponent, naming, to: &name)
      if answer == .value { mediaTypes.append(typeOf: name.span, to: &output) }
      return answer
    case .digest:
      guard object.content == .closed else { return .uncomputed }
      let status = try status(of: object)
      guard pin == nil || pin == Pin(status), let digest = hasher.remembered(status) else { return .uncomputed }
      output.append(base64: digest)
      return .value
    }
  }
}
