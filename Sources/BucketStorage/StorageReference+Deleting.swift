internal import Bucket

/// Deleting.
extension StorageReference {
  /// Deletes the object with its metadata. The folders that hold it stay.
  ///
  /// - Parameter generation: the generation that the object must have, nil for any. Where it has another, the error is one
  ///   whose ``StorageError/isFailedPrecondition`` is true.
  /// - Throws: ``StorageError``; the object is as it was then.
  public func delete(ifGenerationMatch generation: Int64? = nil) async throws {
    try await perform { () throws(StorageError) in try self.remove(generation) }
  }

  /// Deletes the object with its metadata.
  ///
  /// - Parameters:
  ///   - generation: the generation that the object must have, nil for any.
  ///   - completion: called on the bucket's callback queue with nil, or a ``StorageError``.
  public func delete(
    ifGenerationMatch generation: Int64? = nil, completion: (@Sendable ((any Error)?) -> Void)?
  ) {
    perform(
      { () throws(StorageError) in try self.remove(generation) },
      completion: { result in
        switch result {
        case .success: completion?(nil)
        case .failure(let error): completion?(error)
        }
      })
  }

  /// Deletes the object with its metadata.
  ///
  /// - Parameters:
  ///   - generation: the generation that the object must have, nil for any.
  ///   - completion: called on the bucket's callback queue. A failure is a ``StorageError``.
  public func delete(
    ifGenerationMatch generation: Int64? = nil, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    perform({ () throws(StorageError) in try self.remove(generation) }, completion: completion)
  }

  private func remove(_ generation: Int64?) throws(StorageError) {
    let bucket = try storage.open()
    do throws(ObjectError) {
      try bucket.store.remove(path, ifGeneration: try Self.checked(generation))
    } catch {
      throw bucket.failure(error, self)
    }
  }

  /// A generation as the core counts it: what is below 0 no object has.
  static func checked(_ generation: Int64?) throws(ObjectError) -> UInt64? {
    guard let generation else { return nil }
    guard generation >= 0 else { throw .generationMismatch }
    return UInt64(generation)
  }
}
