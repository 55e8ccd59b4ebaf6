internal import Bucket
internal import SystemCalls

/// The bucket directory that a command names.
enum BucketArgument {
  /// Opens it, as it is: not through a mount, where the records do not show.
  static func open(_ path: String, readOnly: Bool) throws(Command.Failure) -> BucketStore {
    let store: BucketStore
    do throws(BucketOpenError) {
      store = try BucketStore.open(Array(path.utf8).span, readOnly: readOnly)
      try BucketStore.probe(store.root)
    } catch {
      switch error {
      case .unopenable(let reason): throw .failed("\(path): \(reason)")
      case .notDirectory: throw .failed("\(path): not a directory")
      case .withoutXattrs(let type):
        throw .failed("\(path): its filesystem (type 0x\(String(type, radix: 16))) keeps no user xattrs")
      }
    }
    if isMount(store.root) { throw .failed("\(path): a mount of a bucket; give the bucket directory itself") }
    return store
  }

  /// Whether a bucket is mounted there: only then has a directory a property that no xattr list shows.
  private static func isMount(_ directory: Descriptor) -> Bool {
    var value = ByteBuffer(capacity: 256)
    var names = ByteBuffer(capacity: 65536)
    let hasBucket =
      (try? value.fill { memory throws(Errno) in
        try System.getXattr(("user.bucket" as StaticString).bytes, of: directory, into: memory)
      }) != nil
    guard hasBucket,
      (try? names.fill { memory throws(Errno) in try System.listXattrs(of: directory, into: memory) }) != nil
    else { return false }
    return !names.span.array.split(separator: 0).contains { $0.elementsEqual("user.bucket".utf8) }
  }
}
