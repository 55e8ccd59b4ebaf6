internal import Glibc
internal import SystemCalls

/// The threads that serve a session: as many as there are requests at work at once, up to a limit.
package final class WorkerPool: Sendable {
  private struct State {
    /// The kernel's numbers of the threads that serve.
    var threads: [Int32] = []
    /// Threads that wait for a request.
    var idle = 0
    /// Threads that were started and have not ended.
    var running = 0
    var isStopping = false
  }

  private let session: Session
  private let limit: Int
  private let onEnd: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: how many threads at most.
  ///   - onEnd: called on the first thread that finds the session over.
  package init(_ session: Session, limit: Int, onEnd: @escaping @Sendable () -> Void) {
    self.session = session
    self.limit = limit
    self.onEnd = onEnd
  }

  /// Starts serving. The calling thread's signal mask and capabilities pass on to the threads.
  package func start() {
    state.withLock { state in startThread(&state) }
  }

  /// Ends all threads and waits for them. The session must have been told to exit.
  package func stop() {
    state.withLock { $0.isStopping = true }
    // A thread that was about to wait when the signal came needs another.
    while true {
      let (running, threads) = state.withLock { ($0.running, $0.threads) }
      if running == 0 { return }
      for thread in threads { System.interrupt(thread: thread) }
      System.sleep(nanoseconds: 1_000_000)
    }
  }

  private func startThread(_ state: inout State) {
    guard !state.isStopping, state.running < limit else { return }
    // Where the system gives no more threads, those that there are go on.
    guard (try? System.startThread { self.run() }) != nil else { return }
    state.idle += 1
    state.running += 1
  }

  private func run() {
    let number = System.threadIdentifier
    state.withLock { $0.threads.append(number) }
    session.serve {
      state.withLock { state in
        state.idle -= 1
        if state.idle == 0 { startThread(&state) }
      }
    } served: {
      state.withLock { $0.idle += 1 }
    }
    let isFirst = state.withLock { state in
      state.running -= 1
      state.threads.removeAll { $0 == number }
      let isFirst = !state.isStopping
      state.isStopping = true
      return isFirst
    }
    if isFirst { onEnd() }
  }
}
