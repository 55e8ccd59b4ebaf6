import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Rights that files carry, and who may let others in.
@Suite struct PrivilegeTests {
  /// The kernel does data by itself, or the daemon does: on an overlay, whose files the kernel does not take.
  enum Way: CaseIterable {
    case passthrough, slow
  }

  private func with(_ way: Way, _ options: MountOptions, _ body: (MountedBucket) throws -> Void) throws {
    guard way == .slow else { return try MountedBucket.with(options, body) }
    try BackingFileSystem.tmpfs.with { disk in
      try Shell.expect(
        "mkdir lower upper work over; mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work x over", in: disk)
      defer { umount2("\(disk / "over")", Int32(MNT_DETACH)) }
      try MountedBucket.with(options, at: disk / "over/bucket", body)
    }
  }

  @Test(arguments: Way.allCases) func anotherUsersWriteTakesSetuidAndFileCapabilities(way: Way) throws {
    try with(way, MountOptions()) { bucket in
      for change in ["echo x >>f", "truncate -s 2 f", "echo x >f", "dd if=/dev/zero of=f bs=1 count=1 conv=notrunc"] {
        try Shell.expect("echo text >f; chmod 6777 f; setcap cap_net_raw+ep f", in: bucket.backing)
        _ = try Shell.bash(change, as: .nobody, in: bucket.mountpoint)
        let left = try Shell.expect("stat -c %a f; getcap f", in: bucket.backing)
        #expect(left == "777", "\(change)")
      }
      let isPassedThrough = try bucket.mountpoint.attribute("bucketfs.status").contains("passthroughRefused") == false
      #expect(isPassedThrough == (way == .passthrough))
    }
  }

  @Test(arguments: Way.allCases, [true, false]) func setuidCountsOnlyWithSuidAndFileCapabilitiesNever(
    way: Way, suid: Bool
  ) throws {
    try with(way, MountOptions([suid ? "suid" : "nosuid"])) { bucket in
      try Shell.expect(
        "cp /usr/bin/id id; chmod 4755 id; cp /bin/cat cat; setcap cap_dac_read_search+ep cat; chmod 755 .",
        in: bucket.backing)
      try (bucket.backing / "secret").write("text")
      try (bucket.backing / "secret").changeMode(0o600)
      let user = try Shell.expect("./id -u", as: .nobody, in: bucket.mountpoint)
      #expect(user == (suid ? "0" : "65534"))
      // Attributes in `security.` are not there in the mount, file capabilities among them.
      let read = try Shell.bash("./cat secret", as: .nobody, in: bucket.mountpoint)
      #expect(read.status == 1 && read.text == "", "\(read)")
    }
  }

  @Test func allowOtherTakesTheConfigurationsLeave() throws {
    let configuration = (try? Path("/etc/fuse.conf").text()) ?? ""
    let isAllowed = configuration.split(separator: "\n").contains("user_allow_other")
    try TemporaryDirectory.with { folder in
      try Shell.expect(
        "mkdir bucket mount; cp \(MountedBucket.executable) bucketfs; chown 65534 bucket mount", in: folder)
      try folder.changeMode(0o755)
      try Path("/dev/fuse").changeMode(0o666)
      defer { while !Mounts.types(at: folder / "mount").isEmpty { Mounts.unmount(folder / "mount") } }
      let outcome = try Shell.bash("./bucketfs mount -o allow_other bucket mount", as: .nobody, in: folder)
      #expect((outcome.status == 0) == isAllowed, "\(outcome)")
      #expect(Mounts.types(at: folder / "mount").isEmpty != isAllowed)
      if !isAllowed { #expect(outcome.errors.contains("user_allow_other"), "\(outcome)") }
    }
  }
}
