internal import SystemCalls

/// The digests that wait for a thread, first come first served.
final class HashQueue: @unchecked Sendable {
  /// Nanoseconds between two looks at the askers of those that wait.
  private static let patience: UInt64 = 50_000_000

  private let condition = Condition()
  // Guarded by the lock of `condition`.
  private var waiting: [HashJob] = []
  private var isStopped = false
  private var lastLook: UInt64 = 0

  /// Adds a job at the end.
  func add(_ job: HashJob) {
    condition.withLock {
      waiting.append(job)
      condition.signal()
    }
  }

  /// Waits for the next job. Nil means that there will be none.
  func next() -> HashJob? {
    condition.withLock {
      while waiting.isEmpty && !isStopped { condition.wait() }
      return isStopped ? nil : waiting.removeFirst()
    }
  }

  /// Answers those in the queue whose askers have gone away: they must not have to wait for the long contents in front
  /// of them. Called often; looks now and then.
  func finishCancelled() {
    let now = Clock.monotonic
    let cancelled: [HashJob] = condition.withLock {
      guard !waiting.isEmpty, now - lastLook >= Self.patience else { return [] }
      lastLook = now
      let cancelled = waiting.filter { $0.isCancelled() }
      if !cancelled.isEmpty { waiting.removeAll { job in cancelled.contains { $0 === job } } }
      return cancelled
    }
    for job in cancelled { job.finish(.failure(.cancelled)) }
  }

  /// Lets the threads end; what waits is answered as cancelled.
  func stop() {
    let left = condition.withLock {
      defer { waiting = [] }
      isStopped = true
      condition.broadcast()
      return waiting
    }
    for job in left { job.finish(.failure(.cancelled)) }
  }
}
