public import Foundation

/// Uploads. An object appears whole and with its metadata, or not at all: readers see the content that was there before
/// until the new one is complete and on the disk. Its folders are made where they are not there. A failed or cancelled
/// upload leaves nothing.
extension StorageReference {
  /// Uploads data as the object's content.
  ///
  /// - Parameters:
  ///   - data: the content.
  ///   - metadata: all of the object's metadata from then on: what the object had before is gone. Nil for none.
  ///   - generation: the generation of the object that is to be replaced, 0 where none may be there, nil for any. Where
  ///     it is another, the error is one whose ``StorageError/isFailedPrecondition`` is true.
  ///   - completion: called on the bucket's callback queue with the object's metadata, or nil and a ``StorageError``.
  /// - Returns: the upload, which has begun.
  @discardableResult
  public func putData(
    _ data: Data, metadata: StorageMetadata? = nil, ifGenerationMatch generation: Int64? = nil,
    completion: (@Sendable (StorageMetadata?, (any Error)?) -> Void)? = nil
  ) -> StorageUploadTask {
    putData(
      data, metadata: metadata, ifGenerationMatch: generation, completion: Self.pair(completion ?? { _, _ in }))
  }

  /// Uploads data as the object's content.
  ///
  /// - Parameters:
  ///   - data: the content.
  ///   - metadata: all of the object's metadata from then on. Nil for none.
  ///   - generation: the generation of the object that is to be replaced, 0 where none may be there, nil for any.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  /// - Returns: the upload, which has begun.
  @discardableResult
  public func putData(
    _ data: Data, metadata: StorageMetadata? = nil, ifGenerationMatch generation: Int64? = nil,
    completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void
  ) -> StorageUploadTask {
    upload(Upload(.data(data), metadata, generation), total: Int64(data.count), completion)
  }

  /// Uploads data as the object's content.
  ///
  /// - Parameters:
  ///   - data: the content.
  ///   - metadata: all of the object's metadata from then on: what the object had before is gone. Nil for none.
  ///   - generation: the generation of the object that is to be replaced, 0 where none may be there, nil for any. Where
  ///     it is another, the error is one whose ``StorageError/isFailedPrecondition`` is true.
  ///   - onProgress: called on the bucket's callback queue as bytes are written.
  /// - Returns: the object's metadata.
  /// - Throws: ``StorageError``; also ``StorageError/cancelled`` where the task is cancelled.
  @discardableResult
  public func putDataAsync(
    _ data: Data, metadata: StorageMetadata? = nil, ifGenerationMatch generation: Int64? = nil,
    onProgress: (@Sendable (Progress?) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await finish(onProgress) { completion in
      self.putData(data, metadata: metadata, ifGenerationMatch: generation, completion: completion)
    }
  }

  /// Uploads a file's content as the object's.
  ///
  /// - Parameters:
  ///   - fileURL: the `file` URL of a regular file. Where it cannot be read the error is
  ///     ``StorageError/unknown(message:serverError:)``, as in Cloud Storage for Firebase.
  ///   - metadata: all of the object's metadata from then on: what the object had before is gone. Nil for none.
  ///   - generation: the generation of the object that is to be replaced, 0 where none may be there, nil for any.
  ///   - completion: called on the bucket's callback queue with the object's metadata, or nil and a ``StorageError``.
  /// - Returns: the upload, which has begun.
  @discardableResult
  public func putFile(
    from fileURL: URL, metadata: StorageMetadata? = nil, ifGenerationMatch generation: Int64? = nil,
    completion: (@Sendable (StorageMetadata?, (any Error)?) -> Void)? = nil
  ) -> StorageUploadTask {
    putFile(
      from: fileURL, metadata: metadata, ifGenerationMatch: generation,
      completion: Self.pair(completion ?? { _, _ in }))
  }

  /// Uploads a file's content as the object's.
  ///
  /// - Parameters:
  ///   - fileURL: the `file` URL of a regular file.
  ///   - metadata: all of the object's metadata from then on. Nil for none.
  ///   - generation: the generation of the object that is to be replaced, 0 where none may be there, nil for any.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  /// - Returns: the upload, which has begun.
  @discardableResult
  public func putFile(
    from fileURL: URL, metadata: StorageMetadata? = nil, ifGenerationMatch generation: Int64? = nil,
    completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void
  ) -> StorageUploadTask {
    upload(Upload(.file(fileURL), metadata, generation), total: -1, completion)
  }

  /// Uploads a file's content as the object's.
  ///
  /// - Parameters:
  ///   - fileURL: the `file` URL of a regular file.
  ///   - metadata: all of the object's metadata from then on: what the object had before is gone. Nil for none.
  ///   - generation: the generation of the object that is to be replaced, 0 where none may be there, nil for any.
  ///   - onProgress: called on the bucket's callback queue as bytes are written.
  /// - Returns: the object's metadata.
  /// - Throws: ``StorageError``; also ``StorageError/cancelled`` where the task is cancelled.
  @discardableResult
  public func putFileAsync(
    from fileURL: URL, metadata: StorageMetadata? = nil, ifGenerationMatch generation: Int64? = nil,
    onProgress: (@Sendable (Progress?) -> Void)? = nil
  ) async throws -> StorageMetadata {
    try await finish(onProgress) { completion in
      self.putFile(from: fileURL, metadata: metadata, ifGenerationMatch: generation, completion: completion)
    }
  }

  private func upload(
    _ upload: Upload, total: Int64, _ completion: @escaping @Sendable (Result<StorageMetadata, any Error>) -> Void
  ) -> StorageUploadTask {
    let task = StorageUploadTask(self, total: total, metadata: upload.metadata)
    task.run({ () throws(StorageError) in try upload.run(self, task) }, metadata: { $0 }, completion: completion)
    return task
  }

  /// Waits for a transfer that `start` begins; where the waiting task is cancelled, so is the transfer.
  func finish<Value: Sendable>(
    _ onProgress: (@Sendable (Progress?) -> Void)?,
    _ start: @escaping (@escaping @Sendable (Result<Value, any Error>) -> Void) -> StorageObservableTask
  ) async throws -> Value {
    let transfer = CancellableTransfer()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = start { continuation.resume(with: $0) }
        if let onProgress { task.observe(.progress) { onProgress($0.progress) } }
        transfer.set(task)
      }
    } onCancel: {
      transfer.cancel()
    }
  }
}
