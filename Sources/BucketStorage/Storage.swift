internal import Bucket
public import Dispatch
public import Foundation
internal import SystemCalls

/// A bucket: a directory whose files are objects, mounted by bucketfs or not.
///
/// Metadata that is written here is what a mount of the same directory shows as extended attributes, and the reverse.
/// Several processes may use one bucket at once.
public final class Storage: Sendable {
  /// The bucket's name.
  public let bucket: String
  /// The bucket's directory; nil where none is known by that name, so that each operation fails with
  /// ``StorageError/bucketNotFound(bucket:serverError:)``.
  public let directory: URL?

  /// Guarded by `state`; never held over a system call but the one that opens the directory.
  private struct State {
    var callbackQueue = DispatchQueue.main
    var verifiesMD5 = false
    var opened: OpenBucket?
  }

  private let state = Mutex(State())

  /// The bucket in a directory.
  ///
  /// The directory is opened when it is first needed.
  ///
  /// - Parameters:
  ///   - directory: a `file` URL.
  ///   - bucket: the bucket's name; nil for the last component of `directory`.
  public convenience init(directory: URL, bucket: String? = nil) {
    let directory = directory.standardizedFileURL
    self.init(known: bucket ?? directory.lastPathComponent, directory)
  }

  init(known bucket: String, _ directory: URL?) {
    self.bucket = bucket
    self.directory = directory
  }

  /// Where completion handlers and observers of tasks run. The main queue unless it is set.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.callbackQueue } }
    set { state.withLock { $0.callbackQueue = newValue } }
  }

  /// Whether an `md5Hash` that is given with an upload or an update is held against the content, and refused with
  /// ``StorageError/nonMatchingChecksum(serverError:)`` where it is another's. False unless it is set, as in Cloud Storage
  /// for Firebase, where setting it on upload does not affect the upload.
  public var verifiesMD5: Bool {
    get { state.withLock { $0.verifiesMD5 } }
    set { state.withLock { $0.verifiesMD5 = newValue } }
  }

  /// The root of the bucket.
  public func reference() -> StorageReference {
    StorageReference(storage: self, path: .root)
  }

  /// The object or folder of a path from the root of the bucket, such as `images/forest.jpg`.
  public func reference(withPath path: String) -> StorageReference {
    reference().child(path)
  }

  /// The object or folder of an address, which must be one of this bucket: the process ends where it is not. Use
  /// ``reference(for:)`` for an address that comes from elsewhere.
  ///
  /// - Parameter url: `gs://BUCKET/PATH`, where nothing is escaped, so that the description of a reference leads to it;
  ///   a `file` URL below the directory, or the `https` URL of a download from Cloud Storage.
  public func reference(forURL url: String) -> StorageReference {
    do {
      return try reference(StorageAddress(url, directory: directory), url)
    } catch {
      fatalError("\(error)")
    }
  }

  /// The object or folder of an address.
  ///
  /// - Parameter url: `gs://BUCKET/PATH`, escaped as URLs are, a `file` URL below the directory, or the `https` URL of a
  ///   download from Cloud Storage.
  /// - Throws: ``StorageError/bucketMismatch(message:)`` for an address of another bucket,
  ///   ``StorageError/pathError(message:)`` for what is no address of an object.
  public func reference(for url: URL) throws -> StorageReference {
    try reference(StorageAddress(url, directory: directory), url)
  }

  private func reference(
    _ address: StorageAddress, _ text: some CustomStringConvertible
  ) throws(StorageError) -> StorageReference {
    guard address.bucket == nil || address.bucket == bucket else {
      throw .bucketMismatch(message: "\(text) is not in bucket \(bucket).")
    }
    return StorageReference(storage: self, path: address.path)
  }

  /// The opened bucket.
  func open() throws(StorageError) -> OpenBucket {
    try state.withLock { state throws(StorageError) in
      if let opened = state.opened { return opened }
      guard let directory, directory.isFileURL else {
        throw .bucketNotFound(bucket: bucket, serverError: ["bucket": bucket])
      }
      let opened = try OpenBucket(directory.path, name: bucket)
      state.opened = opened
      return opened
    }
  }

  /// Has the next operation open the directory anew, unless one has done so already.
  func forget(_ bucket: OpenBucket) {
    state.withLock { if $0.opened === bucket { $0.opened = nil } }
  }
}

extension Storage: Equatable, CustomStringConvertible {
  /// Whether both are the same bucket: the same name and the same directory.
  public static func == (left: Storage, right: Storage) -> Bool {
    left.bucket == right.bucket && left.directory?.path == right.directory?.path
  }

  /// The bucket's address.
  public var description: String { "gs://\(bucket)" }
}
