internal import Bucket

/// The name of an object or a folder in a bucket, whether it is there or not.
///
/// Making a reference touches nothing. A name with a component "." or ".." is refused with
/// ``StorageError/pathError(message:)`` when it is used, and symlinks are never followed, so that no name leads out of the
/// bucket. Two names are the same if their bytes are.
public final class StorageReference: Sendable {
  /// The bucket.
  public let storage: Storage
  let path: ObjectPath

  init(storage: Storage, path: ObjectPath) {
    self.storage = storage
    self.path = path
  }

  /// The name of the bucket.
  public var bucket: String { storage.bucket }

  /// The path from the root of the bucket, without a slash at either end, such as `images/forest.jpg`. Empty at the root.
  /// Bytes that are not UTF-8 show as U+FFFD.
  public var fullPath: String { String(decoding: path.bytes, as: UTF8.self) }

  /// The last component of the path, such as `forest.jpg`. Empty at the root.
  public var name: String { String(decoding: path.lastComponent, as: UTF8.self) }

  /// The root of the bucket.
  public func root() -> StorageReference {
    StorageReference(storage: storage, path: .root)
  }

  /// The folder that holds it; nil at the root.
  public func parent() -> StorageReference? {
    path.parent.map { StorageReference(storage: storage, path: $0) }
  }

  /// What has this path below it. Runs of slashes count as one, those at the ends as none; the empty path gives this
  /// reference again.
  public func child(_ path: String) -> StorageReference {
    StorageReference(storage: storage, path: self.path.appending(ObjectPath(path.utf8)))
  }

  var context: FailureContext { FailureContext(bucket: bucket, object: fullPath) }
}

extension StorageReference: Hashable, CustomStringConvertible {
  /// Whether both are the same name in the same bucket.
  public static func == (left: StorageReference, right: StorageReference) -> Bool {
    left.storage == right.storage && left.path == right.path
  }

  /// Feeds the bucket's name and the path to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bucket)
    hasher.combine(path)
  }

  /// The address: `gs://BUCKET/PATH`.
  public var description: String { "gs://\(bucket)/\(fullPath)" }
}
