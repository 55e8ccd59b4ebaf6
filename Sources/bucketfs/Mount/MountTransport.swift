internal import Bucket
internal import FUSESession
internal import SystemCalls

/// By which way requests come from the kernel, `-o transport=…`.
enum MountTransport: String, CaseIterable {
  /// Rings where the kernel offers them and the system gives them.
  case auto
  /// `/dev/fuse` alone.
  case dev
  /// Rings, or no mount.
  case uring

  /// The rings to offer the kernel, nil for none. `unmount` is for the end of a mount that the kernel has given up.
  func rings(depth: Int, unmount: @escaping @Sendable () -> Void) throws(Command.Failure) -> Rings? {
    guard self != .dev, !Rings.areLibrarys else { return nil }
    guard System.offersFUSERings else {
      if self == .auto { return nil }
      throw .failed(
        "the kernel does not offer FUSE over io_uring: it takes Linux 6.14 and, as root, "
          + "'echo Y > /sys/module/fuse/parameters/enable_uring'")
    }
    do throws(Errno) {
      return try Rings(depth: depth) { reason in
        // The kernel was promised rings and then refused them: whoever uses the mount waits, and there is no way back.
        Log.write(.error, .mount, "the kernel refused its rings: \(reason); mount again with -o transport=dev")
        unmount()
        exit(code: 1)
      }
    } catch {
      try refuse(error)
      return nil
    }
  }

  /// Has the rings made, which threads need.
  func prepare(_ rings: Rings) throws(Command.Failure) {
    do throws(Errno) {
      try rings.prepare()
    } catch {
      try refuse(error)
    }
  }

  private func refuse(_ reason: Errno) throws(Command.Failure) {
    if self == .uring { throw .failed("the system gives no rings for FUSE over io_uring: \(reason)") }
    Log.write(.warning, .mount, "requests go through /dev/fuse, the system gives no rings: \(reason)")
  }

  /// Words for a libfuse that has rings of its own.
  func libraryOptions(depth: Int) -> [String] {
    guard self != .dev, Rings.areLibrarys, System.offersFUSERings else { return [] }
    return ["io_uring", "io_uring_q_depth=\(depth)"]
  }
}
