internal import SystemCalls

/// What the caller wants of a transfer, and where its thread waits meanwhile.
final class TransferControl: @unchecked Sendable {
  private enum Wish {
    case run, pause, cancel
  }

  private let condition = Condition()
  /// Guarded by `condition`.
  private var wish = Wish.run

  /// Returns whether that is new.
  func pause() -> Bool {
    condition.withLock {
      guard wish == .run else { return false }
      wish = .pause
      return true
    }
  }

  /// Returns whether that is new.
  func resume() -> Bool {
    condition.withLock {
      guard wish == .pause else { return false }
      wish = .run
      condition.broadcast()
      return true
    }
  }

  func cancel() {
    condition.withLock {
      wish = .cancel
      condition.broadcast()
    }
  }

  /// Where the transfer's thread is between two pieces: waits for the end of a pause, and throws where it was cancelled.
  func checkpoint() throws(StorageError) {
    let isCancelled = condition.withLock {
      while wish == .pause { condition.wait() }
      return wish == .cancel
    }
    if isCancelled { throw .cancelled }
  }
}
