import SystemCalls

/// One thread that does what it is given, while the giver waits.
final class ServingLoop: @unchecked Sendable {
  private let condition = Condition()
  // Guarded by the lock of `condition`.
  private var work: (() -> UInt64)?
  private var result: UInt64?
  private var isStopped = false
  private var isOver = false

  init() throws {
    try System.startThread { [self] in
      while let work = next() { finish(work()) }
      condition.withLock {
        isOver = true
        condition.broadcast()
      }
    }
  }

  /// Runs `body` on the thread and returns what it returns.
  func run(_ body: @escaping () -> UInt64) -> UInt64 {
    condition.withLock {
      work = body
      condition.broadcast()
      while result == nil { condition.wait() }
      defer { result = nil }
      return result!
    }
  }

  /// Ends the thread; then it keeps nothing that it was given.
  func stop() {
    condition.withLock {
      isStopped = true
      condition.broadcast()
      while !isOver { condition.wait() }
    }
  }

  private func next() -> (() -> UInt64)? {
    condition.withLock {
      while work == nil, !isStopped { condition.wait() }
      defer { work = nil }
      return work
    }
  }

  private func finish(_ value: UInt64) {
    condition.withLock {
      result = value
      condition.broadcast()
    }
  }
}
