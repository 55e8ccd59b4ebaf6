import CTestSupport
import SystemCalls

/// The mounts of this machine.
package enum Mounts {
  /// The filesystem types mounted at `path`, the topmost last.
  package static func types(at path: Path) -> [String] {
    guard let table = try? Path("/proc/self/mountinfo").text() else { return [] }
    return table.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 4, fields[4] == path.description else { return nil }
      guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { return nil }
      return String(fields[dash + 1])
    }
  }

  /// umount2(2), repeated while the mount is busy for up to `seconds`; then it is detached.
  ///
  /// Returns whether it went without being detached.
  @discardableResult
  package static func unmount(_ path: Path, seconds: Double = 5) -> Bool {
    for _ in 0..<Int(seconds * 50) {
      guard path.withCString({ umount2($0, 0) }) != 0 else { return true }
      guard test_errno() == EBUSY else { break }
      usleep(20_000)
    }
    _ = path.withCString { umount2($0, Int32(MNT_DETACH)) }
    return false
  }
}
