import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Setuid and setgid through the mount, compared with what the backing filesystem does by itself.
@Suite struct SetuidTests {
  static let owner = Caller(user: 4001)
  static let group = Caller(user: 4002, group: 4001)
  static let other = Caller(user: 4003)

  /// Who changes the file.
  enum Writer: String, CaseIterable {
    case root, owner, group, other

    var caller: Caller {
      switch self {
      case .root: .root
      case .owner: SetuidTests.owner
      case .group: SetuidTests.group
      case .other: SetuidTests.other
      }
    }
  }

  /// How the file is changed.
  enum Change: String, CaseIterable {
    case write, append, truncate, openTruncating, allocate, copyRange, map, modeSetAfterOpen
  }

  /// Changes `file` as `writer`.
  private func apply(_ change: Change, to file: Path, from source: Path, mode: UInt32, by writer: Caller) throws {
    try writer.run {
      switch change {
      case .write:
        let open = try OpenFile(file, O_WRONLY)
        try open.write("x")
        try open.close()
      case .append:
        try file.append("x")
      case .truncate:
        try file.truncate(to: 2)
      case .openTruncating:
        try OpenFile(file, O_WRONLY | O_TRUNC).close()
      case .allocate:
        try OpenFile(file, O_WRONLY).allocate(8192)
      case .copyRange:
        let (from, to) = (try OpenFile(source), try OpenFile(file, O_WRONLY))
        try from.copyRange(to: to, 3)
        try to.close()
      case .map:
        let open = try OpenFile(file, O_RDWR)
        try open.store([0x79])
        try open.close()
      case .modeSetAfterOpen:
        break
      }
    }
    guard change == .modeSetAfterOpen else { return }
    try file.changeMode(0o777)
    let open = try writer.run { try OpenFile(file, O_WRONLY) }
    try Self.owner.run { try file.changeMode(mode) }
    try writer.run {
      try open.write("x")
      try open.close()
    }
  }

  /// The mode after `change` of a file with `mode`, below `folder`.
  private func mode(
    after change: Change, of mode: UInt32, by writer: Writer, in folder: Path
  ) throws -> UInt32 {
    let (file, source) = (folder / "file", folder / "source")
    try file.write("content")
    try source.write("content")
    try file.changeOwner(4001, 4001)
    try file.changeMode(mode)
    try apply(change, to: file, from: source, mode: mode, by: writer.caller)
    let result = try file.status().permissions
    try file.unlink()
    return result
  }

  @Test(arguments: Change.allCases) func aChangeLeavesTheModeThatTheBackingFilesystemLeaves(change: Change) throws {
    try MountedBucket.with { bucket in
      try TemporaryDirectory.with(beside: bucket.backing) { native in
        for mode: UInt32 in [0o4777, 0o2777, 0o6777, 0o2767, 0o4666, 0o777] {
          for writer in Writer.allCases {
            let expected = try self.mode(after: change, of: mode, by: writer, in: native)
            let actual = try self.mode(after: change, of: mode, by: writer, in: bucket.mountpoint)
            // Root's own write through passthrough drops the bits, as anybody else's does.
            if writer == .root, actual == (try self.mode(after: change, of: mode, by: .other, in: native)) { continue }
            // Passthrough writes in the name of nobody in the file's group: a setgid bit without group execution, set
            // on an open file, falls by anyone's write.
            if change == .modeSetAfterOpen, mode == 0o2767, actual == 0o767 { continue }
            #expect(
              actual == expected,
              "\(String(mode, radix: 8)) by \(writer): \(String(actual, radix: 8)), native \(String(expected, radix: 8))"
            )
          }
        }
      }
    }
  }

  @Test func anAppendByAnotherUserDropsTheBitInBothViews() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "x"
      try file.write("content")
      // Opened before, and after, so that the backing file is registered either way.
      let reader = try OpenFile(file)
      try file.changeMode(0o4777)
      try Caller.nobody.run { try file.append("more") }
      #expect(try file.status().permissions == 0o777)
      #expect(try (bucket.backing / "x").status().permissions == 0o777)
      #expect(try reader.status().permissions == 0o777)
    }
  }

  @Test func copiesAndArchivesKeepTheBit() throws {
    try MountedBucket.with { bucket in
      try Shell.expect(
        """
        echo x > f; chmod 4755 f
        cp -a f copy
        mkdir out; tar cf - f | tar xpf - -C out
        rsync -a f out/synced
        """, in: bucket.mountpoint)
      for name: Path in ["f", "copy", "out/f", "out/synced"] {
        #expect(try (bucket.backing / name).status().permissions == 0o4755, "\(name)")
      }
    }
  }

  @Test func aFileInASetgidFolderTakesItsGroup() throws {
    try MountedBucket.with { bucket in
      let folder = bucket / "d"
      try folder.makeFolder()
      try folder.changeOwner(0, 4001)
      try folder.changeMode(0o2777)
      try Self.other.run {
        try (folder / "f").write("x")
        try (folder / "sub").makeFolder()
      }
      #expect(try (folder / "f").status().group == 4001)
      #expect(try (folder / "sub").status().permissions == 0o2755)
    }
  }
}
