internal import Bucket
public import Foundation

/// Downloads.
extension StorageReference {
  /// The object's content.
  ///
  /// - Parameter maxSize: how many bytes it may have, else ``StorageError/downloadSizeExceeded(total:maxSize:)``.
  /// - Throws: ``StorageError``; also ``StorageError/cancelled`` where the task is cancelled.
  public func data(maxSize: Int64) async throws -> Data {
    try await finish(nil) { completion in self.getData(maxSize: maxSize, completion: completion) }
  }

  /// The object's content.
  ///
  /// - Parameters:
  ///   - maxSize: how many bytes it may have, else ``StorageError/downloadSizeExceeded(total:maxSize:)``.
  ///   - completion: called on the bucket's callback queue with the content, or nil and a ``StorageError``.
  /// - Returns: the download, which has begun.
  @discardableResult
  public func getData(
    maxSize: Int64, completion: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> StorageDownloadTask {
    getData(maxSize: maxSize, completion: Self.pair(completion))
  }

  /// The object's content.
  ///
  /// - Parameters:
  ///   - maxSize: how many bytes it may have, else ``StorageError/downloadSizeExceeded(total:maxSize:)``.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  /// - Returns: the download, which has begun.
  @discardableResult
  public func getData(
    maxSize: Int64, completion: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) -> StorageDownloadTask {
    let task = StorageDownloadTask(self, total: -1, metadata: nil)
    task.run(
      { () throws(StorageError) in
        var download = try Download(self, task)
        return try download.data(atMost: maxSize)
      }, metadata: { _ in nil }, completion: completion)
    return task
  }

  /// Writes the object's content to a file, which appears whole or not at all. What was there before is replaced.
  ///
  /// - Parameters:
  ///   - fileURL: the file's `file` URL. Folders are made where they are not there. Where it cannot be written the error
  ///     is ``StorageError/unknown(message:serverError:)``.
  ///   - completion: called on the bucket's callback queue with `fileURL`, or nil and a ``StorageError``.
  /// - Returns: the download, which has begun.
  @discardableResult
  public func write(
    toFile fileURL: URL, completion: (@Sendable (URL?, (any Error)?) -> Void)? = nil
  ) -> StorageDownloadTask {
    write(toFile: fileURL, completion: Self.pair(completion ?? { _, _ in }))
  }

  /// Writes the object's content to a file, which appears whole or not at all. What was there before is replaced.
  ///
  /// - Parameters:
  ///   - fileURL: the file's `file` URL. Folders are made where they are not there.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  /// - Returns: the download, which has begun.
  @discardableResult
  public func write(
    toFile fileURL: URL, completion: @escaping @Sendable (Result<URL, any Error>) -> Void
  ) -> StorageDownloadTask {
    let task = StorageDownloadTask(self, total: -1, metadata: nil)
    task.run(
      { () throws(StorageError) in
        var download = try Download(self, task)
        try download.write(to: fileURL)
        return fileURL
      }, metadata: { _ in nil }, completion: completion)
    return task
  }

  /// Writes the object's content to a file, which appears whole or not at all. What was there before is replaced.
  ///
  /// - Parameters:
  ///   - fileURL: the file's `file` URL. Folders are made where they are not there.
  ///   - onProgress: called on the bucket's callback queue as bytes are read.
  /// - Returns: `fileURL`.
  /// - Throws: ``StorageError``; also ``StorageError/cancelled`` where the task is cancelled.
  @discardableResult
  public func writeAsync(
    toFile fileURL: URL, onProgress: (@Sendable (Progress?) -> Void)? = nil
  ) async throws -> URL {
    try await finish(onProgress) { completion in self.write(toFile: fileURL, completion: completion) }
  }

  /// Where the object's content can be read: a `file` URL of the backing file.
  ///
  /// - Throws: ``StorageError``.
  public func downloadURL() async throws -> URL {
    try address()
  }

  /// Where the object's content can be read: a `file` URL of the backing file.
  ///
  /// - Parameter completion: called on the bucket's callback queue with the URL, or nil and a ``StorageError``.
  public func downloadURL(completion: @escaping @Sendable (URL?, (any Error)?) -> Void) {
    downloadURL(completion: Self.pair(completion))
  }

  /// Where the object's content can be read: a `file` URL of the backing file.
  ///
  /// - Parameter completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func downloadURL(completion: @escaping @Sendable (Result<URL, any Error>) -> Void) {
    perform({ () throws(StorageError) in try self.address() }, completion: completion)
  }

  private func address() throws(StorageError) -> URL {
    _ = try storage.open().open(self)
    guard let directory = storage.directory else {
      throw .bucketNotFound(bucket: bucket, serverError: [:])
    }
    // By bytes, since a name need not be UTF-8.
    guard let url = URL(string: "file://" + (Array(directory.path.utf8) + [47] + path.bytes).percentEncoded) else {
      throw .internalError(message: "\(self) has no URL.")
    }
    return url
  }
}

extension [UInt8] {
  /// As the path of a URL.
  fileprivate var percentEncoded: String {
    reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.append(Character(UnicodeScalar(byte)))
      default:
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
