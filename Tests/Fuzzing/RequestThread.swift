import SystemCalls

/// One thread that does what it is given, while the giver waits: a session changes its thread's identity and umask.
final class RequestThread: @unchecked Sendable {
  private let condition = Condition()
  // Guarded by the lock of `condition`.
  private var work: (() -> Void)?

  init() throws {
    try System.startThread { [self] in
      while true { serve() }
    }
  }

  /// Runs `body` on the thread and waits for its end.
  func run(_ body: @escaping () -> Void) {
    condition.withLock {
      work = body
      condition.broadcast()
      while work != nil { condition.wait() }
    }
  }

  private func serve() {
    let body = condition.withLock {
      while work == nil { condition.wait() }
      return work!
    }
    body()
    condition.withLock {
      work = nil
      condition.broadcast()
    }
  }
}
