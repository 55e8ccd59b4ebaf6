internal import SystemCalls

/// The digests that wait for a thread, first come first served.
final class HashQueue: @unchecked Sendable {
  /// Nanoseconds between two looks at the askers of those that wait.
  private static let patience: UInt64 = 50_000_000

  private let condition = Condition()
  // Guarded by the lock of `condition`.
  private var waiting: [HashJob] = []
  /// The files that are being read.
  private var running: Set<HashJob.Key> = []
  private var isStopped = false
  private var lastLook: UInt64 = 0

  /// Adds a job at the end.
  func add(_ job: HashJob) {
    condition.withLock {
      waiting.append(job)
      condition.signal()
    }
  }

  /// Waits for the next job on a file that no other thread reads: whoever asks for the same content waits for what is
  /// then remembered, and leaves the other thread to others. To be given back by `release`. Nil means that there will
  /// be none.
  func next() -> HashJob? {
    condition.withLock {
      while !isStopped {
        if let index = waiting.firstIndex(where: { !running.contains($0.key) }) {
          let job = waiting.remove(at: index)
          running.insert(job.key)
          return job
        }
        condition.wait()
      }
      return nil
    }
  }

  /// Gives back the file of a job that was done.
  func release(_ job: HashJob) {
    condition.withLock {
      running.remove(job.key)
      condition.broadcast()
    }
  }

  /// Answers those in the queue whose askers have gone away: they must not have to wait for the long contents in front
  /// of them. Called often; looks now and then.
  func finishCancelled(at now: UInt64 = Clock.monotonic) {
    let cancelled: [HashJob] = condition.withLock {
      // Another thread may have looked since `now`, so that their difference may be below 0.
      guard !waiting.isEmpty, now >= lastLook + Self.patience else { return [] }
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
