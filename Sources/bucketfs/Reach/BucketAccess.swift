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
        try reader.appendJSON(of: object.reference, object, &scratch, to: &output)
      } catch {
        throw .store(error)
      }
    }
    return output.array
  }

  private func read(_ name: Span<UInt8>, of object: Reached) throws(AccessError) {
    do throws(Errno) {
      try output.fill { memory throws(Errno) in try System.getXattr(name, of: object.file, into: memory) }
    } catch {
      throw .system(error)
    }
  }
}
