internal import Bucket
internal import SystemCalls

/// Metadata.
extension StorageReference {
  /// The object's metadata.
  ///
  /// Where `md5Hash` was not set and is not remembered, the content is read for it.
  ///
  /// - Throws: ``StorageError``.
  public func getMetadata() async throws -> StorageMetadata {
    // Asking the kernel's caches is shorter than changing threads.
    if let metadata = try storage.open().metadata(of: self, hashing: false) { return metadata }
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await perform { () throws(StorageError) in try self.metadata { flag.isSet } }
    } onCancel: {
      flag.set()
    }
  }

  /// The object's metadata.
  ///
  /// - Parameter completion: called on the bucket's callback queue with the metadata, or nil and a ``StorageError``.
  public func getMetadata(completion: @escaping @Sendable (StorageMetadata?, (any Error)?) -> Void) {
    getMetadata(completion: Self.pair(completion))
  }

  /// The object's metadata.
  ///
  /// - Parameter completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func getMetadata(completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void) {
    perform({ () throws(StorageError) in try self.metadata { false } }, completion: completion)
  }

  /// Updates the object's metadata with what was assigned in `metadata`, in one step: properties that were assigned nil
  /// are deleted, those never assigned are left alone.
  ///
  /// - Parameters:
  ///   - metadata: what to change. Read-only properties in it are ignored. Where nothing was assigned nothing changes.
  ///   - number: the metageneration that the object must have, nil for any. Where it has another, the error is one whose
  ///     ``StorageError/isFailedPrecondition`` is true.
  /// - Returns: the object's new metadata.
  /// - Throws: ``StorageError``; nothing has changed then.
  @discardableResult
  public func updateMetadata(
    _ metadata: StorageMetadata, ifMetagenerationMatch number: Int64? = nil
  ) async throws -> StorageMetadata {
    // As it is now, whatever the caller assigns next.
    let metadata = metadata.copy()
    // What waits for nothing is shorter than changing threads.
    switch try update(metadata, number, waiting: false) {
    case .done(let updated): return updated
    case .unread(let object): return try await perform { () throws(StorageError) in try self.metadata(of: object) }
    case .waits: return try await perform { () throws(StorageError) in try self.updated(metadata, number) }
    }
  }

  /// Updates the object's metadata, as ``updateMetadata(_:ifMetagenerationMatch:)`` does.
  ///
  /// - Parameters:
  ///   - metadata: what to change.
  ///   - number: the metageneration that the object must have, nil for any.
  ///   - completion: called on the bucket's callback queue with the new metadata, or nil and a ``StorageError``.
  public func updateMetadata(
    _ metadata: StorageMetadata, ifMetagenerationMatch number: Int64? = nil,
    completion: (@Sendable (StorageMetadata?, (any Error)?) -> Void)?
  ) {
    updateMetadata(metadata, ifMetagenerationMatch: number, completion: Self.pair(completion ?? { _, _ in }))
  }

  /// Updates the object's metadata, as ``updateMetadata(_:ifMetagenerationMatch:)`` does.
  ///
  /// - Parameters:
  ///   - metadata: what to change.
  ///   - number: the metageneration that the object must have, nil for any.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func updateMetadata(
    _ metadata: StorageMetadata, ifMetagenerationMatch number: Int64? = nil,
    completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void
  ) {
    // As it is now, whatever the caller assigns next.
    let metadata = metadata.copy()
    perform({ () throws(StorageError) in try self.updated(metadata, number) }, completion: completion)
  }

  /// Updates, and waits as long as it takes.
  private func updated(_ metadata: StorageMetadata, _ number: Int64?) throws(StorageError) -> StorageMetadata {
    switch try update(metadata, number, waiting: true) {
    case .done(let updated): return updated
    case .unread(let object): return try self.metadata(of: object)
    case .waits: return try self.metadata { false }
    }
  }

  private func update(
    _ metadata: StorageMetadata, _ number: Int64?, waiting: Bool
  ) throws(StorageError) -> OpenBucket.UpdateOutcome {
    var patch = metadata.snapshot.patch
    if let number {
      guard number >= 0 else { throw .invalidArgument(message: "A metageneration is not negative.") }
      patch.metageneration = UInt64(number)
    }
    return try storage.open().update(self, patch, verifying: storage.verifiesMD5, waiting: waiting)
  }

  /// The metadata, with a digest that may have to be computed.
  func metadata(isCancelled: () -> Bool) throws(StorageError) -> StorageMetadata {
    try required(try storage.open().metadata(of: self, hashing: true, isCancelled: isCancelled))
  }

  private func metadata(of object: OpenedObject) throws(StorageError) -> StorageMetadata {
    try required(try storage.open().metadata(of: object, self))
  }

  private func required(_ metadata: StorageMetadata?) throws(StorageError) -> StorageMetadata {
    guard let metadata else { throw .internalError(message: "\(self): its content changes while it is read.") }
    return metadata
  }
}

/// Whether a task was cancelled, for a thread that works for it.
final class CancellationFlag: Sendable {
  private let state = Mutex(false)

  var isSet: Bool { state.withLock { $0 } }

  func set() {
    state.withLock { $0 = true }
  }
}
