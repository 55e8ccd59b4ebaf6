import TestSupport
import Testing

/// Every file system call answers in the mount as it does in a plain directory of the same filesystem, for root, the
/// owner, a member of the group and a stranger, and leaves the same behind.
@Suite struct PosixTableTests {
  private static let tool = Path(MountedBucket.executable).sibling("posix-table").description

  @Test func answersAsAPlainDirectory() throws {
    try MountedBucket.with { bucket in
      let plain = bucket.backing.sibling("plain")
      try plain.makeFolder()
      let paths = [plain, bucket.mountpoint, bucket.backing].map(\.description)
      let outcome = try Shell.run([Self.tool] + paths, timeout: 600)
      #expect(outcome.isClean, "\(outcome.text)\n\(outcome.errors)")
    }
  }

  @Test func answersAnOrdinaryUsersMountAsAPlainDirectory() throws {
    try MountedBucket.with(MountOptions(caller: .nobody)) { bucket in
      let plain = bucket.backing.sibling("plain")
      try plain.makeFolder()
      try plain.changeOwner(Caller.nobody.user, Caller.nobody.group)
      let paths = [plain, bucket.mountpoint, bucket.backing].map(\.description)
      let outcome = try Shell.run([Self.tool] + paths, as: .nobody, timeout: 600)
      #expect(outcome.isClean, "\(outcome.text)\n\(outcome.errors)")
    }
  }

  /// Every kind of call as every caller on what others have left: modes, sticky and setgid folders, ACLs, owners.
  @Test(arguments: Effort.isThorough ? Array(1...40) : [1, 2, 3])
  func aWalkAtRandomMeetsWhatItMeetsInAPlainDirectory(seed: Int) throws {
    for options in [MountOptions(["replace=drop"]), MountOptions(["replace=drop"], caller: .nobody)] {
      try MountedBucket.with(options) { bucket in
        let plain = bucket.backing.sibling("plain")
        try plain.makeFolder()
        let caller = options.caller ?? .root
        try plain.changeOwner(caller.user, caller.group)
        let paths = [plain, bucket.mountpoint, bucket.backing].map(\.description)
        let walk = [Self.tool, "--only", "random_walk", "--seed", "\(seed)"]
        let outcome = try Shell.run(walk + paths, as: caller, timeout: 120)
        #expect(outcome.isClean, "\(outcome.text)\n\(outcome.errors)")
      }
    }
  }

  /// `-o ro` answers everybody as a filesystem that is mounted read-only does.
  @Test(arguments: Effort.isThorough ? Array(1...40) : [1, 2])
  func aWalkThroughAReadOnlyMountMeetsWhatItMeetsInAReadOnlyFilesystem(seed: Int) throws {
    func prepare(_ top: Path) throws {
      let outcome = try Shell.run([Self.tool, "--seed", "\(seed)", "--prepare", "\(top)/walk"])
      #expect(outcome.isClean, "\(outcome)")
      try top.changeMode(0o755)
    }
    func walk(_ top: Path) throws -> [String] {
      let outcome = try Shell.run([Self.tool, "--seed", "\(seed)", "--walk", "\(top)/walk"], timeout: 60)
      #expect(outcome.isClean, "\(outcome.errors)")
      return outcome.lines
    }
    // Both on one kind: how many links a folder has, among others, is the filesystem's own.
    let filesystem = BackingFileSystem.requested ?? .ext4
    let native = try filesystem.with { disk in
      try prepare(disk)
      try Shell.expect("mount -o remount,ro \(disk.quoted)")
      return try walk(disk)
    }
    try MountedBucket.with(MountOptions(["ro"]), on: filesystem, prepare: prepare) { bucket in
      let before = try Tree(bucket.backing)
      let mounted = try walk(bucket.mountpoint)
      let differing = zip(native, mounted).filter { $0 != $1 }.prefix(5)
      #expect(native.count == mounted.count && differing.isEmpty, "\(Array(differing))")
      #expect(native.count > 4000 && native.contains { $0.hasSuffix("EROFS") })
      #expect(try Tree(bucket.backing).differences(from: before) == [])
    }
  }

  @Test func findsNothingBetweenTwoPlainDirectories() throws {
    try TemporaryDirectory.with { folder in
      for name in ["one", "two"] as [Path] { try (folder / name).makeFolder() }
      let outcome = try Shell.run([Self.tool, "--as", "stranger", "\(folder)/one", "\(folder)/two"], timeout: 120)
      #expect(outcome.isClean, "\(outcome)")
    }
  }

  @Test func findsWhatDiffers() throws {
    try BackingFileSystem.tmpfs.with(mountOptions: "noexec") { other in
      try TemporaryDirectory.with { folder in
        let outcome = try Shell.run([Self.tool, "--only", "run_program", folder.description, other.description])
        #expect(outcome.status == 1)
        #expect(outcome.lines.contains("run_program [owner]"), "\(outcome)")
      }
    }
  }
}
