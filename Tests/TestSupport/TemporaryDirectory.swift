import CTestSupport
import SystemCalls
import Testing

/// A new directory that everybody may enter, removed with all that is in it.
package enum TemporaryDirectory {
  /// Makes the directory, calls `body` with it, and removes it, whatever `body` does.
  ///
  /// It lies where temporary files do, or in the folder that holds `neighbour`, and so on its filesystem.
  package static func with<Result>(
    beside neighbour: Path? = nil, _ body: (Path) throws -> Result
  ) throws -> Result {
    let path = try make(in: neighbour?.folder.description)
    defer { remove(path) }
    return try body(path)
  }

  private static func make(in folder: String?) throws(Errno) -> Path {
    let base = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/bucketfs-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: test_errno()) }
    let path = Path(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
    try path.changeMode(0o755)
    return path
  }

  /// Removes the tree, but crosses into no other filesystem: a mount that could not be undone keeps its files.
  private static func remove(_ path: Path) {
    _ = try? Shell.run(["rm", "-rf", "--one-file-system", path.description])
  }
}
