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

  /// The rings to offer the kernel, nil for none.
  func rings(depth: Int, mountpoint: String) throws(Command.Failure) -> Rings? {
    guard self != .dev, !Rings.areLibrarys else { return nil }
    guard System.offersFUSERings else {
      if self == .auto { return nil }
      throw .failed(
        "the kernel does not offer FUSE over io_uring: it takes Linux 6.14 and, as root, "
          + "'echo Y > /sys/module/fuse/parameters/enable_uring'")
    }
    do throws(Errno) {
      return try Rings(depth: depth) { reason in Self.giveUp(mountpoint, reason) }
    } catch {
      if self == .uring { throw .failed("the system gives no rings for FUSE over io_uring: \(error)") }
      Log.write(.warning, .mount, "requests go through /dev/fuse, the system gives no rings: \(error)")
      return nil
    }
  }

  /// Words for a libfuse that has rings of its own.
  func libraryOptions(depth: Int) -> [String] {
    guard self != .dev, Rings.areLibrarys, System.offersFUSERings else { return [] }
    return ["io_uring", "io_uring_q_depth=\(depth)"]
  }

  /// The kernel was promised rings and then refused them: whoever uses the mount waits, and there is no way back.
  private static func giveUp(_ mountpoint: String, _ reason: Errno) {
    Log.write(.error, .mount, "the kernel refused its rings: \(reason); mount again with -o transport=dev")
    try? System.detachMount(at: mountpoint)
    exit(code: 1)
  }
}
