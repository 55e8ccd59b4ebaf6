internal import Bucket
internal import SystemCalls

/// Metadata that was read, for as long as the object's status is the same: one look at the status then answers instead
/// of six system calls.
///
/// Whatever changes a content, a record or another xattr moves the ctime. So metadata counts as known only where that is
/// sure to show: on a local filesystem, where no other machine changes anything, and with a ctime that any later change
/// must differ from.
final class KnownMetadata: Sendable {
  /// Shared, so that looking at one copies nothing.
  private final class Entry: Sendable {
    let path: ObjectPath
    let status: FileStatus
    let metadata: MetadataState

    init(path: ObjectPath, status: FileStatus, metadata: MetadataState) {
      self.path = path
      self.status = status
      self.metadata = metadata
    }
  }

  /// Objects that are remembered; each has one place, by its path.
  private static let count = 512

  /// The device whose objects are remembered: the root folder's, if it is a local one.
  private let device: UInt64?
  private let entries = Mutex<[Entry?]>(Array(repeating: nil, count: count))

  /// For the bucket whose root folder is `root`.
  init(root: Descriptor) {
    let isLocal = (try? System.fileSystemType(of: root)).map(System.localFileSystems.contains) ?? false
    device = isLocal ? (try? System.status(of: root))?.device : nil
  }

  /// Whether anything is remembered of that name: whether it is worth a look at the status before opening.
  func remembers(_ path: ObjectPath) -> Bool {
    let place = Self.place(of: path)
    return entries.withLock { $0[place] }?.path == path
  }

  /// The metadata of the object of that name and status; nil where it is not known.
  func metadata(of reference: StorageReference, _ status: FileStatus) -> MetadataState? {
    let place = Self.place(of: reference.path)
    guard let entry = entries.withLock({ $0[place] }), entry.status.isSameState(as: status),
      entry.path == reference.path
    else { return nil }
    var metadata = entry.metadata
    metadata.reference = reference
    return metadata
  }

  /// Remembers what was read of an object that had the status `before` before and `after` afterwards.
  func remember(
    _ metadata: MetadataState, of reference: StorageReference, _ before: FileStatus, _ after: FileStatus
  ) {
    guard after.device == device, before.isSameState(as: after), after.isSettled else { return }
    var metadata = metadata
    // It holds the storage, which holds this.
    metadata.reference = nil
    let entry = Entry(path: reference.path, status: after, metadata: metadata)
    let place = Self.place(of: reference.path)
    entries.withLock { $0[place] = entry }
  }

  private static func place(of path: ObjectPath) -> Int {
    Int(UInt(bitPattern: path.hashValue) % UInt(count))
  }
}

extension FileStatus {
  /// Whether nothing of the file was changed between the two, as far as its times tell.
  fileprivate func isSameState(as other: FileStatus) -> Bool {
    (device, inode, size) == (other.device, other.inode, other.size)
      && (modified, changed) == (other.modified, other.changed)
  }
}
