package import SystemCalls

/// Memory in which one thread reads metadata, so that a request needs none of its own.
package struct MetadataScratch: ~Copyable, Sendable {
  /// The names of a backing file's xattrs.
  package var names: ByteBuffer
  /// An object's record.
  package var record: ByteBuffer
  /// One value.
  package var value: ByteBuffer

  package init() {
    // What the kernel lets a list and a value of xattrs have; behind the record lies its overflow file.
    names = ByteBuffer(capacity: 1 << 16)
    record = ByteBuffer(capacity: BucketStore.bufferCapacity)
    value = ByteBuffer(capacity: 1 << 16)
  }
}
