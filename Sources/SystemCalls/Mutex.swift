internal import Glibc

/// The lock of the project: a pthread mutex around the state that it guards.
///
/// The standard library's `Synchronization.Mutex` would serve as well, but ThreadSanitizer does not see through its
/// futex and reports races that are none; with pthreads the whole suite can run under it.
package struct Mutex<State: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let handle: UnsafeMutablePointer<pthread_mutex_t>
  private let state: UnsafeMutablePointer<State>

  package init(_ initial: consuming State) {
    handle = .allocate(capacity: 1)
    handle.initialize(to: pthread_mutex_t())
    pthread_mutex_init(handle, nil)
    state = .allocate(capacity: 1)
    state.initialize(to: initial)
  }

  deinit {
    pthread_mutex_destroy(handle)
    handle.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs `body` with the state while no other thread has it.
  @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(handle)
    defer { pthread_mutex_unlock(handle) }
    return try body(&state.pointee)
  }
}

/// A condition that threads wait for, used with one `pthread` mutex of its own.
package final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the condition's lock held.
  package func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Waits for a signal. The lock must be held by the caller; it is given up meanwhile.
  package func wait() {
    pthread_cond_wait(condition, mutex)
  }

  /// Wakes one that waits.
  package func signal() {
    pthread_cond_signal(condition)
  }

  /// Wakes all that wait.
  package func broadcast() {
    pthread_cond_broadcast(condition)
  }
}
