internal import Bucket
internal import SystemCalls

/// The bucket directory that a command names.
enum BucketArgument {
  /// Opens it, as it is: not through a mount, where the records do not show.
  static func open(_ path: Argument, readOnly: Bool) throws(Command.Failure) -> BucketStore {
    let store: BucketStore
    do throws(BucketOpenError) {
      store = try BucketStore.open(path.bytes.span, readOnly: readOnly)
      try BucketStore.probe(store.root)
    } catch {
      throw .failed("cannot open the bucket '\(path.text)': \(error.description(of: path.text))")
    }
    if isMount(store.root) { throw .failed("'\(path.text)' is a mount of a bucket; give the bucket directory itself") }
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
