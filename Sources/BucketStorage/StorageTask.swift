internal import Dispatch
public import Foundation
internal import SystemCalls

/// What became of a task.
public enum StorageTaskStatus: Int, CaseIterable, Sendable {
  /// Nothing yet.
  case unknown
  /// It goes on after a pause, or has begun.
  case resume
  /// It has moved more bytes.
  case progress
  /// It waits until it is resumed.
  case pause
  /// It has done what it was to do.
  case success
  /// It has failed, or was cancelled.
  case failure
}

/// An upload or a download as it was at one moment.
public struct StorageTaskSnapshot: Sendable {
  /// The task.
  public let task: StorageObservableTask
  /// The object.
  public let reference: StorageReference
  /// The metadata: of an upload what was given, and once it has succeeded the object's. Nil for a download.
  public let metadata: StorageMetadata?
  /// Bytes moved so far, and of how many.
  public let progress: Progress?
  /// Why it failed, a ``StorageError``; nil where it did not.
  public let error: (any Error)?
  /// What had just happened.
  public let status: StorageTaskStatus
}

/// An upload or a download. It runs from the start and keeps itself alive until its end.
public class StorageTask: @unchecked Sendable {
  /// The object.
  let reference: StorageReference
  let control = TransferControl()
  /// Bytes moved so far. Cancelling, pausing and resuming it does so to the task.
  let progress: Progress

  init(_ reference: StorageReference, total: Int64) {
    self.reference = reference
    progress = Progress(totalUnitCount: total)
    progress.isCancellable = true
    progress.isPausable = true
  }
}

/// An upload or a download that tells how it goes.
public class StorageObservableTask: StorageTask, @unchecked Sendable {
  private typealias Handler = @Sendable (StorageTaskSnapshot) -> Void
  private typealias Handlers = [Handler]

  /// What can be asked of the task, and who asks.
  private struct State {
    var status = StorageTaskStatus.unknown
    var metadata: StorageMetadata?
    var error: StorageError?
    /// In the order in which they came.
    var observers: [(handle: String, status: StorageTaskStatus, handler: Handler)] = []

    func handlers(of status: StorageTaskStatus) -> Handlers {
      observers.filter { $0.status == status }.map { $0.handler }
    }
  }

  private let state: Mutex<State>

  init(_ reference: StorageReference, total: Int64, metadata: StorageMetadata?) {
    state = Mutex(State(metadata: metadata))
    super.init(reference, total: total)
    progress.cancellationHandler = { [weak self] in self?.cancel() }
    progress.pausingHandler = { [weak self] in self?.pause() }
    progress.resumingHandler = { [weak self] in self?.resume() }
  }

  /// The task as it is now.
  public var snapshot: StorageTaskSnapshot {
    state.withLock { snapshot(of: $0, $0.status) }
  }

  private func snapshot(of state: State, _ status: StorageTaskStatus) -> StorageTaskSnapshot {
    StorageTaskSnapshot(
      task: self, reference: reference, metadata: state.metadata, progress: progress, error: state.error,
      status: status)
  }

  /// Calls `handler` on the bucket's callback queue each time that `status` comes about; at once where it is the task's
  /// status already.
  ///
  /// - Parameters:
  ///   - status: one of `resume`, `progress`, `pause`, `success` and `failure`.
  ///   - handler: gets the task as it was then.
  /// - Returns: a handle for ``removeObserver(withHandle:)``.
  @discardableResult
  public func observe(
    _ status: StorageTaskStatus, handler: @escaping @Sendable (StorageTaskSnapshot) -> Void
  ) -> String {
    let handle = UUID().uuidString
    let due = state.withLock { state -> StorageTaskSnapshot? in
      // Nothing follows the end.
      if state.status != .success, state.status != .failure { state.observers.append((handle, status, handler)) }
      return state.status == status ? snapshot(of: state, status) : nil
    }
    if let due { reference.storage.callbackQueue.async { handler(due) } }
    return handle
  }

  /// Ends the calls of one observer.
  public func removeObserver(withHandle handle: String) {
    state.withLock { $0.observers.removeAll { $0.handle == handle } }
  }

  /// Ends the calls of all observers.
  public func removeAllObservers() {
    state.withLock { $0.observers = [] }
  }

  /// Ends the calls of all observers of one status.
  public func removeAllObservers(for status: StorageTaskStatus) {
    state.withLock { $0.observers.removeAll { $0.status == status } }
  }

  /// Makes the task wait, at the latest after the next megabyte. What it has made so far is kept.
  public func pause() {
    if control.pause() { note(.pause) }
  }

  /// Lets the task go on.
  public func resume() {
    if control.resume() { note(.resume) }
  }

  /// Ends the task with ``StorageError/cancelled``, and leaves nothing of it. Does nothing where it has ended or is past
  /// its last step.
  public func cancel() {
    control.cancel()
  }

  /// Notes that so many bytes have been moved.
  func note(moved bytes: Int64, of total: Int64? = nil) {
    if let total, progress.totalUnitCount != total { progress.totalUnitCount = total }
    progress.completedUnitCount = bytes
    note(.progress)
  }

  private func note(_ status: StorageTaskStatus) {
    let (handlers, taken) = state.withLock { state -> (Handlers, StorageTaskSnapshot) in
      // What is moved while a pause is on its way does not end it.
      if status != .progress || state.status != .pause { state.status = status }
      return (state.handlers(of: status), snapshot(of: state, status))
    }
    guard !handlers.isEmpty else { return }
    reference.storage.callbackQueue.async { for handler in handlers { handler(taken) } }
  }

  /// Runs `body` away from the caller. Its outcome goes to the observers, then to `completion`.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(StorageError) -> Value,
    metadata: @escaping @Sendable (Value) -> StorageMetadata?,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    // A queue of its own has a thread of its own: one that waits for the end of a pause keeps nobody else waiting.
    DispatchQueue(label: "bucketfs.transfer", qos: .userInitiated).async {
      do throws(StorageError) {
        let value = try body()
        self.finish(.success, metadata(value), nil) { completion(.success(value)) }
      } catch {
        self.finish(.failure, nil, error) { completion(.failure(error)) }
      }
    }
  }

  private func finish(
    _ status: StorageTaskStatus, _ metadata: StorageMetadata?, _ error: StorageError?,
    _ completion: @escaping @Sendable () -> Void
  ) {
    let (handlers, taken) = state.withLock { state -> (Handlers, StorageTaskSnapshot) in
      state.status = status
      if let metadata { state.metadata = metadata }
      state.error = error
      let handlers = state.handlers(of: status)
      state.observers = []
      return (handlers, snapshot(of: state, status))
    }
    reference.storage.callbackQueue.async {
      for handler in handlers { handler(taken) }
      completion()
    }
  }
}

/// The upload of an object.
public final class StorageUploadTask: StorageObservableTask, @unchecked Sendable {}

/// The download of an object.
public final class StorageDownloadTask: StorageObservableTask, @unchecked Sendable {}
