internal import Bucket
internal import Foundation

/// Lists.
extension StorageReference {
  /// Lists some of the objects and folders in this folder, in the order of Cloud Storage: by the bytes of their names, a
  /// folder's with the slash that follows it. A folder that is not there is empty. What is made or removed between two
  /// pages is in the list or not; all else is in it once.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, objects and folders together: 1 to 1,000, else
  ///     ``StorageError/invalidArgument(message:)``.
  ///   - pageToken: of the page before; nil for the first one.
  /// - Throws: ``StorageError``.
  public func list(maxResults: Int64, pageToken: String? = nil) async throws -> StorageListResult {
    try await perform { () throws(StorageError) in try self.page(maxResults, pageToken) }
  }

  /// Lists the first objects and folders in this folder, as ``list(maxResults:pageToken:)`` does.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, 1 to 1,000.
  ///   - completion: called on the bucket's callback queue with the page, or nil and a ``StorageError``.
  public func list(
    maxResults: Int64, completion: @escaping @Sendable (StorageListResult?, (any Error)?) -> Void
  ) {
    list(maxResults: maxResults, completion: Self.pair(completion))
  }

  /// Lists the first objects and folders in this folder, as ``list(maxResults:pageToken:)`` does.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, 1 to 1,000.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func list(
    maxResults: Int64, completion: @escaping @Sendable (Result<StorageListResult, any Error>) -> Void
  ) {
    perform({ () throws(StorageError) in try self.page(maxResults, nil) }, completion: completion)
  }

  /// Lists more objects and folders in this folder, as ``list(maxResults:pageToken:)`` does.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, 1 to 1,000.
  ///   - pageToken: of the page before.
  ///   - completion: called on the bucket's callback queue with the page, or nil and a ``StorageError``.
  public func list(
    maxResults: Int64, pageToken: String,
    completion: @escaping @Sendable (StorageListResult?, (any Error)?) -> Void
  ) {
    list(maxResults: maxResults, pageToken: pageToken, completion: Self.pair(completion))
  }

  /// Lists more objects and folders in this folder, as ``list(maxResults:pageToken:)`` does.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, 1 to 1,000.
  ///   - pageToken: of the page before.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func list(
    maxResults: Int64, pageToken: String,
    completion: @escaping @Sendable (Result<StorageListResult, any Error>) -> Void
  ) {
    perform({ () throws(StorageError) in try self.page(maxResults, pageToken) }, completion: completion)
  }

  /// Lists all objects and folders in this folder, in the order of ``list(maxResults:pageToken:)``.
  ///
  /// - Throws: ``StorageError``.
  public func listAll() async throws -> StorageListResult {
    try await perform { () throws(StorageError) in try self.everything() }
  }

  /// Lists all objects and folders in this folder.
  ///
  /// - Parameter completion: called on the bucket's callback queue with the list, or nil and a ``StorageError``.
  public func listAll(completion: @escaping @Sendable (StorageListResult?, (any Error)?) -> Void) {
    listAll(completion: Self.pair(completion))
  }

  /// Lists all objects and folders in this folder.
  ///
  /// - Parameter completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func listAll(completion: @escaping @Sendable (Result<StorageListResult, any Error>) -> Void) {
    perform({ () throws(StorageError) in try self.everything() }, completion: completion)
  }

  private func everything() throws(StorageError) -> StorageListResult {
    try list(after: [], atMost: nil)
  }

  private func page(_ limit: Int64, _ token: String?) throws(StorageError) -> StorageListResult {
    guard (1...1000).contains(limit) else {
      throw .invalidArgument(message: "A page has 1 to 1,000 results, not \(limit).")
    }
    var start: [UInt8] = []
    if let token {
      guard let key = Data(base64Encoded: token), !key.isEmpty else {
        throw .invalidArgument(message: "\(token) is no page token.")
      }
      start = Array(key)
    }
    return try list(after: start, atMost: Int(limit))
  }

  private func list(after start: [UInt8], atMost limit: Int?) throws(StorageError) -> StorageListResult {
    let bucket = try storage.open()
    let page: FolderPage
    do throws(ObjectError) {
      page = try bucket.store.list(path, after: start, atMost: limit)
    } catch {
      throw bucket.failure(error, self)
    }
    if page.items.isEmpty, let gone = bucket.gone(self) { throw gone }
    var prefixes: [StorageReference] = []
    var items: [StorageReference] = []
    for item in page.items {
      let child = StorageReference(storage: storage, path: path.appending(ObjectPath(item.name)))
      if item.isFolder { prefixes.append(child) } else { items.append(child) }
    }
    let token = page.isCut ? page.items.last.map { Data($0.key).base64EncodedString() } : nil
    return StorageListResult(prefixes: prefixes, items: items, pageToken: token)
  }
}
