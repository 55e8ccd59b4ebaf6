internal import CLinux
internal import Glibc

/// Threads of the process's own.
extension System {
  /// Runs `body` on a new thread that nobody waits for. It starts as the process's own effective user and group, also
  /// where the calling thread acts as somebody else for files: a thread inherits that, and would not know.
  package static func startThread(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let work = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, runThread, work.toOpaque())
    guard failure == 0 else {
      work.release()
      throw Errno(rawValue: failure)
    }
    pthread_detach(thread)
  }

  /// Makes SIGUSR2 interrupt calls that wait, and do nothing else.
  package static func allowInterrupts() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR2, &action, nil)
  }

  /// malloc_trim(3): gives the memory that the process has freed back to the system. Takes milliseconds.
  package static func trimMemory() {
    clinux_trim_memory()
  }

  /// Interrupts the system call that another thread of the process waits in.
  package static func interrupt(thread: Int32) {
    _ = clinux_tgkill(thread, SIGUSR2)
  }
}

/// What a thread is to do, as an object that a C pointer can carry.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let body = Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue()
  System.setFileSystemGroup(System.effectiveGroup)
  System.setFileSystemUser(System.effectiveUser)
  body.run()
  return nil
}
