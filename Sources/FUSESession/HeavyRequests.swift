internal import SystemCalls

/// Threads for requests of rings that take long: a ring's own thread must go on with the others.
final class HeavyRequests: @unchecked Sendable {
  private struct Job {
    let entry: RingEntry
    let request: UnsafeMutableRawBufferPointer
  }

  private static let threadLimit = 16

  private let condition = Condition()
  // Guarded by the lock of `condition`.
  private var session: Session?
  private var waiting: [Job] = []
  private var running = 0
  private var idle = 0
  private var isStopping = false

  /// From now on requests are the session's.
  func start(_ session: Session) {
    condition.withLock { self.session = session }
  }

  /// Takes a request over. False where there is no thread for it.
  func add(_ entry: RingEntry, _ request: UnsafeMutableRawBufferPointer) -> Bool {
    condition.withLock {
      guard !isStopping, let session else { return false }
      if idle <= waiting.count, running < Self.threadLimit,
        (try? System.startThread({ self.run(session) })) != nil
      {
        running += 1
      }
      guard running > 0 else { return false }
      waiting.append(Job(entry: entry, request: request))
      condition.signal()
      return true
    }
  }

  /// Ends the threads after what they are at, and waits for them.
  func stop() {
    condition.withLock {
      isStopping = true
      condition.broadcast()
      while running > 0 { condition.wait() }
      session = nil
    }
  }

  private func run(_ session: Session) {
    while let job = next() { Ring.serve(job.entry, job.request, session) }
    ServingThread.end()
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
  }

  private func next() -> Job? {
    condition.withLock {
      idle += 1
      while waiting.isEmpty, !isStopping { condition.wait() }
      idle -= 1
      return isStopping ? nil : waiting.removeFirst()
    }
  }
}
