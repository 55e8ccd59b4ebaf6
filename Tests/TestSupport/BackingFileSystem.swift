import CTestSupport
import SystemCalls
import Testing

/// A filesystem that a test makes for itself, gone after it.
package enum BackingFileSystem: String, CaseIterable, Sendable {
  case ext4, xfs, btrfs, tmpfs

  /// The one that the environment asks for: all mounted tests then keep their buckets on it.
  package static var requested: BackingFileSystem? {
    guard let name = getenv("BUCKETFS_TEST_FS").map({ String(cString: $0) }), !name.isEmpty else { return nil }
    guard let kind = BackingFileSystem(rawValue: name) else {
      Issue.record("BUCKETFS_TEST_FS is \(name), which no test knows")
      return nil
    }
    return kind
  }

  /// Makes a filesystem of `megabytes`, mounts it, calls `body` with its root, and unmounts it, whatever `body` does.
  package func with<Result>(
    megabytes: Int? = nil, makeOptions: [String] = [], mountOptions: String = "", _ body: (Path) throws -> Result
  ) throws -> Result {
    try TemporaryDirectory.with { folder in
      let root = folder / "root"
      try root.makeFolder()
      try make(in: folder, root: root, megabytes: megabytes, makeOptions: makeOptions, mountOptions: mountOptions)
      defer { Mounts.unmount(root) }
      return try body(root)
    }
  }

  private func make(
    in folder: Path, root: Path, megabytes: Int?, makeOptions: [String], mountOptions: String
  ) throws {
    let options = mountOptions.isEmpty ? [] : ["-o", mountOptions]
    if self == .tmpfs {
      let size = ["-o", "size=\(megabytes ?? 64)m,mode=755"]
      return try succeed(["mount", "-t", "tmpfs"] + size + options + ["tmpfs", root.description])
    }
    let image = folder / "image"
    let size = megabytes ?? (self == .xfs ? 320 : 128)
    try image.write("")
    try image.truncate(to: size << 20)
    let quiet = self == .btrfs || self == .ext4 || self == .xfs ? ["-q"] : []
    try succeed(["mkfs.\(rawValue)"] + quiet + makeOptions + [image.description])
    try succeed(["mount", "-t", rawValue, "-o", "loop"] + options + [image.description, root.description])
  }

  private func succeed(_ arguments: [String]) throws {
    let outcome = try Shell.run(arguments)
    try #require(outcome.status == 0, "\(arguments): \(outcome)")
  }
}
