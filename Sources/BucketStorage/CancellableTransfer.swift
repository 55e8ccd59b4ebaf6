internal import SystemCalls

/// A transfer that may be cancelled before it has begun.
final class CancellableTransfer: Sendable {
  private struct State {
    var task: StorageObservableTask?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func set(_ task: StorageObservableTask) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
