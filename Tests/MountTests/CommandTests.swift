import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// What the command says when something is wrong, and how it ends then.
@Suite struct CommandTests {
  /// Runs `bucketfs` in a folder with a bucket `b`, a mountpoint `m` and an object `b/f.html`.
  private func run(
    _ arguments: [String], as caller: Caller? = nil, prepare: (Path) throws -> Void = { _ in }
  ) throws -> Outcome {
    try TemporaryDirectory.with { folder in
      try (folder / "b").makeFolder()
      try (folder / "m").makeFolder()
      try (folder / "b/f.html").write("x")
      try Shell.expect("cp \(MountedBucket.executable) bucketfs", in: folder)
      try prepare(folder)
      defer {
        for name: Path in ["m", "b/m", "other"] {
          while !Mounts.types(at: folder / name).isEmpty { Mounts.unmount(folder / name) }
        }
      }
      let outcome = try Shell.run(["\(folder)/bucketfs"] + arguments, as: caller, in: folder, timeout: 20)
      if outcome.status != 0 { #expect(Mounts.types(at: folder / "m") == [], "\(arguments)") }
      return outcome
    }
  }

  private func expectRefusal(
    _ outcome: Outcome, status: Int32 = 1, mentioning word: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == status, "\(outcome)", sourceLocation: sourceLocation)
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)", sourceLocation: sourceLocation)
    #expect(outcome.errors.contains(word), "\(outcome)", sourceLocation: sourceLocation)
  }

  @Test(arguments: [[], ["--foreground"]] as [[String]]) func whatCannotBeMountedIsRefusedInOneLine(more: [String])
    throws
  {
    let mount = ["mount"] + more
    expectRefusal(try run(mount + ["missing", "m"]), mentioning: "missing")
    expectRefusal(try run(mount + ["b", "missing"]), mentioning: "missing")
    expectRefusal(try run(mount + ["b/f.html", "m"]), mentioning: "f.html")
    expectRefusal(try run(mount + ["-o", "nonsense", "b", "m"]), status: 2, mentioning: "nonsense")
    expectRefusal(
      try run(mount + ["b", "m"], as: .nobody) { try ($0 / "b").changeMode(0o700) }, mentioning: "b")
  }

  @Test func wrongUsageEndsWithTwo() throws {
    for arguments in [[], ["mount"], ["mount", "b"], ["mount", "b", "m", "x"], ["unmount"], ["--nonsense"], ["stat"]] {
      let outcome = try run(arguments)
      #expect(outcome.status == 2, "\(arguments): \(outcome)")
      #expect(!outcome.errors.isEmpty, "\(arguments)")
    }
  }

  @Test func helpAndVersionAreAnswered() throws {
    for arguments in [["--help"], ["mount", "--help"], ["stat", "--help"]] {
      let help = try run(arguments)
      #expect(help.status == 0 && help.errors.isEmpty, "\(arguments): \(help)")
      #expect(help.text.contains("BUCKET_DIR") || arguments[0] == "stat", "\(help)")
    }
    let version = try run(["--version"])
    #expect(version.isClean)
    #expect(version.text.wholeMatch(of: /bucketfs \d+\.\d+.*/) != nil, "\(version)")
  }

  @Test func aMountpointInsideTheBucketIsRefusedAndTheReverse() throws {
    for more in [[], ["--foreground"]] {
      let mount = ["mount"] + more
      expectRefusal(try run(mount + ["b", "b/m"]) { try ($0 / "b/m").makeFolder() }, mentioning: "inside")
      expectRefusal(try run(mount + ["m/b", "m"]) { try ($0 / "m/b").makeFolder() }, mentioning: "inside")
      expectRefusal(try run(mount + ["b", "b"]), mentioning: "b")
    }
  }

  @Test func symlinksDoNotHideThatOneLiesInTheOther() throws {
    expectRefusal(
      try run(["mount", "b", "link/m"]) {
        try ($0 / "b/m").makeFolder()
        try ($0 / "link").makeSymbolicLink(to: "b")
      }, mentioning: "inside")
    expectRefusal(
      try run(["mount", "link", "m"]) {
        try ($0 / "m/b").makeFolder()
        try ($0 / "link").makeSymbolicLink(to: "m/b")
      }, mentioning: "inside")
  }

  @Test func bindMountsDoNotHideItEither() throws {
    expectRefusal(
      try run(["mount", "b", "other/m"]) {
        try ($0 / "b/m").makeFolder()
        try ($0 / "other").makeFolder()
        try Shell.expect("mount --bind b other", in: $0)
      }, mentioning: "inside")
  }

  @Test func aBucketInsideAnotherIsRefused() throws {
    try MountedBucket.with { bucket in
      try (bucket / "d").makeFolder()
      try (bucket / "f").write("x")
      try (bucket / "f").set("location", "here")
      try #require((bucket.backing / ".bucketfs").exists, "no change has needed the lock")
      try TemporaryDirectory.with { folder in
        let outcome = try Shell.run(
          [MountedBucket.executable, "mount", "\(bucket.backing)/d", folder.description], timeout: 20)
        expectRefusal(outcome, mentioning: "inside")
        #expect(Mounts.types(at: folder) == [])
      }
    }
  }

  @Test func aFilesystemWithoutAttributesIsRefusedByName() throws {
    // sysfs keeps no user.* attributes.
    let outcome = try run(["mount", "/sys/kernel", "m"])
    expectRefusal(outcome, mentioning: "sysfs")
  }

  @Test func optionsOfTheKernelTakeEffect() throws {
    try MountedBucket.with(MountOptions(["noexec", "fsname=example", "max_read=131072"])) { bucket in
      try (bucket / "run").write("#!/bin/sh\n")
      try (bucket / "run").changeMode(0o755)
      #expect(try Shell.bash("./run", in: bucket.mountpoint).status == 126)
      let line = try Shell.expect("grep \(bucket.mountpoint) /proc/self/mounts")
      #expect(line.hasPrefix("example "), "\(line)")
      #expect(line.contains("noexec") && line.contains("nosuid") && line.contains("nodev"), "\(line)")
      #expect(line.contains("fuse.bucketfs"), "\(line)")
    }
  }

  @Test func anOrdinaryUserMountsHisOwnBucket() throws {
    try MountedBucket.with(MountOptions(caller: .nobody)) { bucket in
      try Caller.nobody.run {
        try (bucket / "f.html").write("content")
        try (bucket / "f.html").set("location", "here")
        #expect(try (bucket / "f.html").attribute("contentType") == "text/html")
        #expect(try (bucket / "f.html").attribute("location") == "here")
        #expect(throws: Errno.notPermitted) { try (bucket / "f.html").set("size", "1") }
        #expect(try (bucket / "f.html").text() == "content")
      }
      try bucket.remount(MountOptions(caller: .nobody))
      #expect(try Caller.nobody.run { try (bucket / "f.html").attribute("location") } == "here")
    }
  }
}
