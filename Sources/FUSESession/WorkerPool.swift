internal import Glibc
package import SystemCalls

/// The threads that serve a session: as many as there are requests at work at once, up to a limit.
///
/// Few wait for a request at a time. The kernel wakes those that wait in turn, and each that it has not woken lately
/// finds its memory cold; the others are parked until all that wait have a request.
package final class WorkerPool: @unchecked Sendable {
  private let session: Session
  private let limit: Int
  private let onEnd: @Sendable () -> Void
  /// How many threads wait for a request at most. With two, a lone client's next request often comes before the thread
  /// that served the last one waits again, and a third would be woken for each.
  private let waitingLimit = 3

  // Mutable state, guarded by the lock of `unparking`, which is signalled for each thread that is to leave its parking.
  private let unparking = Condition()
  /// The kernel's numbers of the threads that serve.
  private var threads: [Int32] = []
  /// Threads that wait for a request, or are on their way to it.
  private var waiting = 0
  private var parked = 0
  /// Parked threads that were told to go on and have not yet.
  private var leaving = 0
  /// Threads that were started and have not ended.
  private var running = 0
  private var isStopping = false

  /// - Parameters:
  ///   - limit: how many threads at most.
  ///   - onEnd: called on the first thread that finds the session over.
  package init(_ session: Session, limit: Int, onEnd: @escaping @Sendable () -> Void) {
    self.session = session
    self.limit = limit
    self.onEnd = onEnd
  }

  /// Starts serving. The calling thread's signal mask and capabilities pass on to the threads. Throws what the system
  /// says where it gives not even one thread.
  package func start() throws(Errno) {
    let failure: Errno? = unparking.withLock {
      do throws(Errno) {
        try startThread()
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Ends all threads and waits for them. The session must have been told to exit.
  package func stop() {
    unparking.withLock {
      isStopping = true
      unparking.broadcast()
    }
    // A thread that was about to wait when the signal came needs another.
    while true {
      let (running, threads) = unparking.withLock { (self.running, self.threads) }
      if running == 0 { return }
      for thread in threads { System.interrupt(thread: thread) }
      System.sleep(nanoseconds: 1_000_000)
    }
  }

  /// The lock must be held.
  private func startThread() throws(Errno) {
    guard !isStopping, running < limit else { return }
    try System.startThread { self.run() }
    waiting += 1
    running += 1
  }

  private func run() {
    let number = System.threadIdentifier
    unparking.withLock { threads.append(number) }
    session.serve {
      unparking.withLock { handOver() }
    } served: {
      unparking.withLock { waitAgain() }
    }
    let isFirst = unparking.withLock {
      running -= 1
      threads.removeAll { $0 == number }
      let isFirst = !isStopping
      isStopping = true
      unparking.broadcast()
      return isFirst
    }
    if isFirst { onEnd() }
  }

  /// The calling thread has a request: another must wait for the next.
  private func handOver() {
    waiting -= 1
    guard waiting == 0 else { return }
    if parked > 0 {
      parked -= 1
      leaving += 1
      waiting += 1
      unparking.signal()
    } else {
      // Where the system gives no more threads, those that there are go on.
      try? startThread()
    }
  }

  /// The calling thread has served its request: it waits for the next, or parks where enough do.
  private func waitAgain() {
    guard waiting >= waitingLimit, !isStopping else {
      waiting += 1
      return
    }
    parked += 1
    while leaving == 0, !isStopping { unparking.wait() }
    // Who told it to go on has counted it as waiting.
    if leaving > 0 { leaving -= 1 }
  }
}
