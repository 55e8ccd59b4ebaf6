internal import Bucket
internal import SystemCalls

/// A bucket as a command reaches it: through its mount, by extended attributes, or in its directory, by the store. The
/// commands see no difference.
final class BucketAccess {
  /// How it is reached.
  enum Way {
    case mount
    case directory(MetadataReader)
  }

  let way: Way
  private var scratch = MetadataScratch()
  private var output = ByteBuffer(capacity: 1 << 19)

  init(_ way: Way) {
    self.way = way
  }

  /// Whether it is reached through a mount.
  var isMount: Bool {
    if case .mount = way { true } else { false }
  }

  /// All that is known of an object, the text of `user.bucketfs.json`.
  func json(of object: Reached) throws(AccessError) -> [UInt8] {
    output.removeAll()
    switch way {
    case .mount:
      try read(("user.bucketfs.json" as StaticString).bytes, of: object)
    case .directory(let reader):
      do throws(StoreError) {
        try reader.appendJSON(of: object.reference, object, to: &output)
      } catch {
        throw .store(error)
      }
    }
    return output.array
  }

  /// Hands the text of a property to `body`, nil where it is not set. An md5Hash is computed if need be.
  func withText<Result>(
    of property: Property, of object: Reached, _ body: (Span<UInt8>?) -> Result
  ) throws(AccessError) -> Result {
    guard property.isOnFolders || !object.kind.isFolder else { return body(nil) }
    output.removeAll()
    switch way {
    case .mount:
      guard try readIfSet(attribute(Array(property.name.bytes.array)), of: object) else { return body(nil) }
    case .directory(let reader):
      do throws(StoreError) {
        switch try reader.append(property, of: object.reference, object, &scratch, to: &output) {
        case .value: break
        case .unset: return body(nil)
        case .uncomputed: try appendDigest(of: object, reader)
        }
      } catch {
        throw .store(error)
      }
    }
    return output.withSpan { body($0) }
  }

  /// The text of a property, nil where it is not set.
  func text(of property: Property, of object: Reached) throws(AccessError) -> [UInt8]? {
    try withText(of: property, of: object) { $0?.array }
  }

  /// Hands the value of a custom entry to `body`, nil where there is none.
  func withCustom<Result>(
    _ key: [UInt8], of object: Reached, _ body: (Span<UInt8>?) -> Result
  ) throws(AccessError) -> Result {
    switch way {
    case .mount:
      let name = attribute(Array("customMetadata.".utf8) + key)
      guard name.count <= AttributeName.limit else { throw .system(.fileNameTooLong) }
      guard try readIfSet(name, of: object) else { return body(nil) }
      return output.withSpan { body($0) }
    case .directory(let reader):
      do throws(StoreError) {
        var result: Result?
        let isSet = try reader.withCustom(key.span, of: object.reference, &scratch) { result = body($0) }
        if isSet, let result { return result }
        return body(nil)
      } catch {
        throw .store(error)
      }
    }
  }

  private func appendDigest(of object: Reached, _ reader: MetadataReader) throws(StoreError) {
    do throws(HashError) {
      let digest = try reader.hasher.digest(of: object.file, content: .closed).digest
      output.append(base64: digest)
    } catch {
      throw .system(Errno(error))
    }
  }

  private func attribute(_ name: [UInt8]) -> [UInt8] { Array("user.".utf8) + name }

  private func readIfSet(_ name: [UInt8], of object: Reached) throws(AccessError) -> Bool {
    do throws(AccessError) {
      try read(name.span, of: object)
      return true
    } catch .system(.noData) {
      return false
    }
  }

  private func read(_ name: Span<UInt8>, of object: Reached) throws(AccessError) {
    do throws(Errno) {
      try output.fill { memory throws(Errno) in try System.getXattr(name, of: object.file, into: memory) }
    } catch {
      throw .system(error)
    }
  }
}
