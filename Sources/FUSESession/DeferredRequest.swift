internal import CFuse
internal import Glibc
internal import Synchronization
internal import SystemCalls

/// A request whose answer comes from another thread than the one that took it.
struct DeferredRequest: @unchecked Sendable {
  private let request: fuse_req_t
  private let context: SessionContext

  init(_ reply: consuming Reply, _ context: SessionContext) {
    request = reply.release()
    self.context = context
    context.deferred.add()
  }

  /// Whether nobody waits for the answer any more.
  var isInterrupted: Bool { context.deferred.isEnding || fuse_req_interrupted(request) != 0 }

  /// Answers; to be called once.
  func answer(_ body: (consuming Reply) -> Void) {
    body(Reply(request))
    context.deferred.remove()
  }
}

/// The deferred requests of a session, which must not outlive it.
final class DeferredRequests: @unchecked Sendable {
  private let ending = Atomic<Bool>(false)
  /// Guards `count`, and is signalled when there are none.
  private let none = Condition()
  private var count = 0

  /// Whether the session ends: whoever works on an answer is to stop.
  var isEnding: Bool { ending.load(ordering: .acquiring) }

  func add() {
    none.withLock { count += 1 }
  }

  func remove() {
    none.withLock {
      count -= 1
      if count == 0 { none.broadcast() }
    }
  }

  /// Says that the session ends, and waits for the answers that are under way.
  func end() {
    ending.store(true, ordering: .releasing)
    none.withLock { while count > 0 { none.wait() } }
  }
}
