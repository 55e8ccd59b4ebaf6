import CTestSupport
import SystemCalls

/// The switch by which the kernel offers FUSE over io_uring to new mounts.
package enum KernelRings {
  private static let parameter: Path = "/sys/module/fuse/parameters/enable_uring"
  private struct State {
    /// Tests that want the rings now.
    var users = 0
    /// What the switch was before the first of them.
    var before = ""
  }
  private static let state = Mutex(State())

  /// Whether this kernel has the switch and the tests may turn it: Linux 6.14 and root.
  package static var canBeOffered: Bool { parameter.exists && System.effectiveUser == 0 }

  /// Whether the kernel offers rings now.
  package static var areOffered: Bool {
    get { (try? parameter.text().hasPrefix("Y")) ?? false }
    set { try? parameter.write(newValue ? "Y" : "N") }
  }

  /// Calls `body` while the kernel offers rings, and leaves the switch as it was.
  package static func with<Result>(_ body: () throws -> Result) throws -> Result {
    try state.withLock { state in
      state.users += 1
      guard state.users == 1 else { return }
      state.before = try parameter.text()
      try parameter.write("Y")
    }
    defer {
      state.withLock { state in
        state.users -= 1
        if state.users == 0 { try? parameter.write(state.before) }
      }
    }
    return try body()
  }
}
