/// The system calls of this module by name, for the fault plan and for messages.
package enum SystemCall: UInt8, CaseIterable, Sendable {
  case open, close, statx, statfs, access
  case mkdir, mknod, symlink, link, rename, unlink, readlink
  case chmod, chown, utimens, truncate
  case getxattr, setxattr, removexattr, listxattr
  case read, write, fsync, fdatasync, syncfs, fallocate, seek, copyFileRange, getdents, ioctl
  case lock, flock
  case mount, watch
}

#if FAULT_INJECTION
  internal import Synchronization

  /// Failures that a test asks for: each system call asks here first. Debug builds only.
  package enum FaultPlan {
    /// One planned failure.
    package struct Fault: Sendable {
      /// Which call fails; nil means any.
      package var call: SystemCall?
      /// How many matching calls pass before the failure.
      package var skip: Int
      /// How many matching calls fail; `Int.max` for all that follow.
      package var count: Int
      /// What they fail with.
      package var errno: Errno

      package init(call: SystemCall? = nil, skip: Int = 0, count: Int = 1, errno: Errno) {
        self.call = call
        self.skip = skip
        self.count = count
        self.errno = errno
      }
    }

    private static let armed = Atomic<Bool>(false)
    private static let plan = Mutex<Fault?>(nil)

    /// Plans `fault` from now on; nil ends the plan. Returns the plan as it then stood, with what is left of it.
    @discardableResult
    package static func set(_ fault: Fault?) -> Fault? {
      let before = plan.withLock { current in
        let old = current
        current = fault
        return old
      }
      armed.store(fault != nil, ordering: .sequentiallyConsistent)
      return before
    }

    @inline(__always)
    static func check(_ call: SystemCall) throws(Errno) {
      guard armed.load(ordering: .relaxed) else { return }
      try checkPlan(call)
    }

    private static func checkPlan(_ call: SystemCall) throws(Errno) {
      let failure = plan.withLock { fault -> Errno? in
        guard let current = fault, current.call == nil || current.call == call else { return nil }
        if current.skip > 0 {
          fault?.skip -= 1
          return nil
        }
        guard current.count > 0 else { return nil }
        fault?.count -= 1
        return current.errno
      }
      if let failure { throw failure }
    }
  }
#endif
