internal import Dispatch
internal import Foundation

/// How an operation's outcome comes to whoever asked for it.
extension StorageReference {
  /// Where operations run that may wait: for a disk, a lock or a digest.
  static let workQueue = DispatchQueue(label: "bucketfs.storage", qos: .userInitiated, attributes: .concurrent)

  /// Runs `body` away from the caller and hands its outcome to `completion` on the callback queue.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable () throws(StorageError) -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    Self.workQueue.async { [storage] in
      let result = Self.result(of: body).mapError { $0 as any Error }
      storage.callbackQueue.async { completion(result) }
    }
  }

  /// Runs `body` away from the threads that Swift's tasks share, and waits for it.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable () throws(StorageError) -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Self.workQueue.async {
        continuation.resume(with: Self.result(of: body).mapError { $0 as any Error })
      }
    }
  }

  private static func result<Value>(of body: () throws(StorageError) -> Value) -> Result<Value, StorageError> {
    do throws(StorageError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// A handler of results that calls one of values and errors.
  static func pair<Value: Sendable>(
    _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void
  ) -> @Sendable (Result<Value, any Error>) -> Void {
    { result in
      switch result {
      case .success(let value): completion(value, nil)
      case .failure(let error): completion(nil, error)
      }
    }
  }
}
