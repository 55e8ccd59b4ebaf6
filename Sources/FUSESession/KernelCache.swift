internal import BucketFileSystem
internal import CFuse
internal import SystemCalls

/// What the kernel remembers of the mount, where the daemon knows better.
///
/// It is told by a thread that serves no requests: to be told, the kernel takes the folder's lock, which whoever waits
/// for an answer may hold.
final class KernelCache: @unchecked Sendable {
  private let condition = Condition()
  // Guarded by the lock of `condition`.
  private var session: OpaquePointer?
  private var stale: [StaleName] = []
  private var isRunning = false

  /// From now on the kernel can be told.
  func start(_ session: OpaquePointer) {
    condition.withLock { self.session = session }
  }

  /// Makes the kernel look a name up again before it next uses it, soon.
  func expire(_ name: StaleName) {
    condition.withLock {
      guard session != nil else { return }
      if !isRunning { isRunning = (try? System.startThread { self.run() }) != nil }
      // Without a thread the kernel finds out when its own memory of the name ends.
      guard isRunning else { return }
      stale.append(name)
      condition.broadcast()
    }
  }

  /// Ends the thread: the session must have been unmounted, so that nothing holds it up.
  func stop() {
    condition.withLock {
      session = nil
      condition.broadcast()
      while isRunning { condition.wait() }
    }
  }

  private func run() {
    while let (session, name) = next() {
      name.name.withUnsafeBytes { bytes in
        // What the kernel has forgotten meanwhile needs no telling.
        _ = cfuse_expire_entry(
          session, name.parent.rawValue, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
      }
    }
    condition.withLock {
      isRunning = false
      condition.broadcast()
    }
  }

  private func next() -> (OpaquePointer, StaleName)? {
    condition.withLock {
      while stale.isEmpty, session != nil { condition.wait() }
      guard let session else { return nil }
      return (session, stale.removeFirst())
    }
  }
}
