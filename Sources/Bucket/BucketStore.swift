package import SystemCalls

/// The records of a bucket's objects, each in one xattr of its backing file: read, changed and pinned here and nowhere
/// else.
///
/// An object is reached by a borrowed descriptor, which may have been opened with O_PATH. Several processes may use one
/// bucket: whatever changes a record holds the object's lock (`ObjectLocks`) from reading it to writing it. Reading
/// takes no lock, since a record is replaced in one step.
package final class BucketStore: Sendable {
  /// The xattr that holds a record.
  package static let attribute: StaticString = "user.bucketfs"
  /// Bytes that a buffer for `record(of:into:)` needs: the longest xattr and the longest overflow file.
  package static let bufferCapacity = 2 * Limits.record

  // Configuration.
  /// The bucket's name.
  package let name: [UInt8]
  /// Whether nothing may be written.
  package let isReadOnly: Bool

  // Dependencies.
  private let rootOwner: OwnedDescriptor
  let folder: PrivateFolder
  let locks: ObjectLocks
  /// Memory for records that no thread uses at the moment.
  private let free = Mutex<[RecordMemory]>([])

  /// The bucket whose root folder is `root`, a directory opened for reading or with O_PATH.
  package init(root: consuming OwnedDescriptor, name: [UInt8], readOnly: Bool) {
    self.name = name
    isReadOnly = readOnly
    folder = PrivateFolder(root: root.descriptor)
    locks = ObjectLocks(folder: folder)
    rootOwner = root
  }

  /// The bucket's root folder.
  package var root: Descriptor { rootOwner.descriptor }

  /// Runs `body` with a buffer for records: making one anew costs more than reading a record.
  func withBuffer<Result, Failure: Error>(
    _ body: (inout ByteBuffer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = free.withLock { $0.popLast() } ?? RecordMemory()
    defer { free.withLock { if $0.count < 16 { $0.append(memory) } } }
    return try body(&memory.buffer)
  }

  /// Reads the object's record into `buffer`, which must hold `bufferCapacity` bytes, an overflow file's content behind
  /// the xattr's. The view's ranges are places in `buffer`. Nil where the object has none, `buffer` then being empty.
  package func record(of object: Descriptor, into buffer: inout ByteBuffer) throws(StoreError) -> RecordView? {
    guard try readAttribute(of: object, into: &buffer) else { return nil }
    var view: RecordView
    do throws(RecordError) {
      view = try RecordView(validating: buffer.span)
    } catch {
      throw StoreError(error)
    }
    guard let name = view.overflow else { return view }
    let start = buffer.count
    try folder.readOverflow(named: name, into: &buffer)
    do throws(RecordError) {
      try view.attachOverflow(in: buffer.span, from: start)
    } catch {
      throw error == .newerVersion ? .newerRecord : .damagedOverflow
    }
    return view
  }

  /// Where the object is as far as the kernel knows, for messages.
  package static func path(of object: Descriptor) -> String {
    var buffer = ByteBuffer(capacity: 4096)
    let length = try? buffer.fill { memory throws(Errno) in try System.currentPath(of: object, into: memory) }
    return length == nil ? "an object" : String(decoding: buffer.span.array, as: UTF8.self)
  }

  /// Reads the xattr of the record. Returns whether there is one.
  func readAttribute(of object: Descriptor, into buffer: inout ByteBuffer) throws(StoreError) -> Bool {
    var isSet = true
    do throws(Errno) {
      try buffer.fill { memory throws(Errno) in
        let length = try System.getXattrIfSet(Self.attribute.bytes, of: object, into: memory)
        isSet = length != nil
        return length ?? 0
      }
      return isSet
    } catch .notSupported {
      // A filesystem mounted below the bucket may know no user.* xattrs: its objects have no metadata.
      return false
    } catch .outOfRange {
      throw .damagedRecord
    } catch .permissionDenied, .notPermitted {
      throw .unreadableRecord
    } catch {
      throw .system(error)
    }
  }
}

/// A buffer for one record, which one thread at a time uses.
private final class RecordMemory: @unchecked Sendable {
  var buffer = ByteBuffer(capacity: BucketStore.bufferCapacity)
}
