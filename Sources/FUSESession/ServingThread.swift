internal import BucketFileSystem
internal import CLinux

/// What a thread that serves requests keeps between them.
final class ServingThread {
  let worker = Worker()
  /// The backing id for the OPEN or CREATE reply that the thread is about to write.
  var pendingBacking: Int32 = 0
  /// What the kernel says beyond libfuse's arguments in the SETXATTR that the thread serves.
  var setxattrFlags: UInt32 = 0
  /// The ring whose own thread this is.
  var ring: Ring?
  /// The ring's entry whose request the thread serves now.
  var entry: RingEntry?

  /// The calling thread's; made at its first request.
  static var current: Unmanaged<ServingThread> {
    if let state = clinux_thread_state() { return .fromOpaque(state) }
    let made = Unmanaged.passRetained(ServingThread())
    clinux_set_thread_state(made.toOpaque())
    return made
  }

  /// The calling thread's, where it has served a request.
  static var ifAny: Unmanaged<ServingThread>? {
    clinux_thread_state().map { .fromOpaque($0) }
  }

  /// Ends what `current` began, before the thread ends.
  static func end() {
    guard let state = clinux_thread_state() else { return }
    clinux_set_thread_state(nil)
    Unmanaged<ServingThread>.fromOpaque(state).release()
  }
}

/// The backing id on its way to the reply: libfuse 3.14 has no place for it, and calls the session's `writev` on the
/// thread that replies.
enum PendingBacking {
  static func set(_ id: Int32) {
    ServingThread.current._withUnsafeGuaranteedRef { $0.pendingBacking = id }
  }

  static var id: Int32 {
    ServingThread.ifAny?._withUnsafeGuaranteedRef { $0.pendingBacking } ?? 0
  }
}
