import BucketStorage
import Foundation
import SystemCalls
import TestSupport
import Testing

/// A bucket in a directory of its own, unmounted.
struct StorageFixture: Sendable {
  let backing: Path
  let storage: Storage

  /// Makes a bucket, calls `body` with it, and removes it.
  static func with<Result>(
    bucket: String = "example.appspot.com", _ body: (StorageFixture) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bucketfs-test-\(UUID().uuidString)")
    let directory = folder.appending(path: "bucket")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // Nothing is mounted in it.
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(StorageFixture(at: Path(directory.path), bucket: bucket))
  }

  init(at backing: Path, bucket: String = "example.appspot.com") {
    self.backing = backing
    storage = Storage(directory: URL(filePath: backing.description), bucket: bucket)
    // The main queue may be busy with another test.
    storage.callbackQueue = DispatchQueue(label: "callbacks")
  }

  var root: StorageReference { storage.reference() }

  /// Makes an object as another program does.
  func make(_ name: String, _ content: String = "hello world") throws -> StorageReference {
    let file = backing / Path(name)
    try Shell.expect("mkdir -p \(file.folder.quoted)")
    try file.write(content)
    return root.child(name)
  }

  /// Every file below the bucket but `.bucketfs/lock`.
  func files() throws -> [String] {
    try Shell.expect("cd \(backing.quoted) && find . ! -type d ! -path ./.bucketfs/lock | sort")
      .split(separator: "\n").map { String($0.dropFirst(2)) }
  }
}

/// Waits for a completion handler's values.
func completion<Value: Sendable>(
  _ start: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async -> (value: Value?, error: StorageError?) {
  await withCheckedContinuation { continuation in
    start { value, error in continuation.resume(returning: (value, error as? StorageError)) }
  }
}

/// Waits for a completion handler's result.
func outcome<Value: Sendable>(
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in start { continuation.resume(with: $0) } }
}

/// The error of an operation that must fail.
func failure<Value>(
  of body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async -> StorageError? {
  do {
    _ = try await body()
    Issue.record("it succeeded", sourceLocation: sourceLocation)
    return nil
  } catch {
    return error as? StorageError
  }
}

/// Waits on this thread for a completion handler's result, where nothing can be awaited.
func waited<Value: Sendable>(
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) throws -> Value {
  let box = Box<Value>()
  start { box.set($0) }
  return try box.wait().get()
}

/// A result that one thread waits for and another sets.
private final class Box<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func set(_ value: Result<Value, any Error>) {
    result.withLock { $0 = value }
    done.signal()
  }

  func wait() -> Result<Value, any Error> {
    done.wait()
    return result.withLock { $0! }
  }
}

/// The error of an operation that must fail, waited for on this thread.
func waitedFailure<Value: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) -> StorageError? {
  do {
    _ = try waited(start)
    Issue.record("it succeeded", sourceLocation: sourceLocation)
    return nil
  } catch {
    return error as? StorageError
  }
}

/// Runs `body` on a thread of its own, where waiting keeps no task from going on.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// Waits on this thread for a task.
func waited<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  try waited { (done: @escaping @Sendable (Result<Value, any Error>) -> Void) in
    Task {
      do {
        done(.success(try await body()))
      } catch {
        done(.failure(error))
      }
    }
  }
}
