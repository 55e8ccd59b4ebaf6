internal import Bucket
internal import SystemCalls

/// An opened bucket: what operations on it work with.
final class OpenBucket: Sendable {
  let reader: MetadataReader
  let known: KnownMetadata
  /// Memory that is not in use.
  private let free = Mutex<[ReadingMemory]>([])

  /// What all buckets of the process share.
  private static let mediaTypes = MediaTypes()

  var store: BucketStore { reader.store }
  var hasher: ContentHasher { reader.hasher }

  init(_ directory: String, name: String) throws(StorageError) {
    do throws(BucketOpenError) {
      let store = try BucketStore.open(Array(directory.utf8).span, name: Array(name.utf8))
      let hasher: ContentHasher
      do throws(Errno) {
        hasher = try ContentHasher(threads: 0)
      } catch {
        throw BucketOpenError.unopenable(error)
      }
      reader = MetadataReader(store: store, mediaTypes: Self.mediaTypes, hasher: hasher)
      known = KnownMetadata(root: store.root)
    } catch {
      throw StorageError(error, bucket: name)
    }
  }

  /// Runs `body` with memory of its own.
  func withMemory<Result, Failure: Error>(
    _ body: (ReadingMemory) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = free.withLock { $0.popLast() } ?? ReadingMemory()
    defer { free.withLock { if $0.count < 16 { $0.append(memory) } } }
    return try body(memory)
  }
}

/// The memory in which one thread at a time reads metadata.
final class ReadingMemory: @unchecked Sendable {
  /// An object's name.
  var name = ByteBuffer(capacity: 1 << 12)
  /// One value as text.
  var text = ByteBuffer(capacity: 1 << 13)
}
