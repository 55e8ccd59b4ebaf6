import TestSupport
import Testing

/// `bucketfs check` and `bucketfs eject`, as people call them.
@Suite struct CheckCommandTests {
  private func run(_ arguments: String...) throws -> Outcome {
    try Shell.run([MountedBucket.executable] + arguments)
  }

  @Test func checkSaysWhatIsWrongAndLeavesItAlone() throws {
    try TemporaryDirectory.with { bucket in
      try (bucket / "good").write("x")
      try (bucket / "bad").write("x")
      #expect(try run("check", bucket.description).isClean)
      try Shell.expect("setfattr -n user.comment -v hello good; setfattr -n user.bucketfs -v garbage bad", in: bucket)
      for arguments in [["check"], ["check", "--repair"]] {
        let outcome = try Shell.run([MountedBucket.executable] + arguments + [bucket.description])
        #expect(outcome.status == 1)
        #expect(
          outcome.lines == [
            "bad: its metadata record is damaged",
            "good: the next change of its metadata will take in user.comment",
          ])
        #expect(outcome.errors.isEmpty)
      }
      #expect(try Shell.expect("getfattr --only-values -n user.bucketfs bad", in: bucket) == "garbage")
      let json = try run("check", "--json", bucket.description).lines
      #expect(json.count == 2)
      #expect(json.first?.hasPrefix(#"{"name":"bad","problem":"damaged-record","message":""#) == true)
      #expect(json.first?.hasSuffix(#"","fault":true,"repaired":false}"#) == true)
    }
  }

  @Test func whatOnlyWaitsToBeTakenInIsNoFault() throws {
    try TemporaryDirectory.with { bucket in
      try (bucket / "a").write("x")
      try Shell.expect("setfattr -n user.comment -v hello a", in: bucket)
      #expect(try run("check", bucket.description).status == 0)
      #expect(try bucket.entries() == ["a"])
    }
  }

  @Test func ejectTurnsABucketBackIntoADirectory() throws {
    try MountedBucket.with { bucket in
      try (bucket / "a.jpg").write("x")
      try Shell.expect(
        "setfattr -n user.cacheControl -v no-store a.jpg; setfattr -n user.location -v Zürich a.jpg",
        in: bucket.mountpoint)
      bucket.unmount()
      #expect(try run("eject", bucket.backing.description).isClean)
      #expect(try bucket.backing.entries() == ["a.jpg"])
      #expect(
        try Shell.expect("getfattr -e text -d a.jpg", in: bucket.backing).split(separator: "\n").dropFirst()
          == ["user.cacheControl=\"no-store\"", "user.location=\"Zürich\""])
      try bucket.mount()
      #expect(try Shell.expect("getfattr --only-values -n user.location a.jpg", in: bucket.mountpoint) == "Zürich")
    }
  }

  @Test func aBucketThatIsMountedIsNotEjected() throws {
    try MountedBucket.with { bucket in
      try (bucket / "a").write("x")
      try Shell.expect("setfattr -n user.location -v here a", in: bucket.mountpoint)
      let outcome = try run("eject", bucket.backing.description)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("is mounted at '\(bucket.mountpoint)'; unmount it first"))
      #expect(try (bucket / "a").attribute("location") == "here")
      #expect(try Shell.expect("getfattr -d a", in: bucket.backing).contains("user.bucketfs"))
    }
  }

  @Test func wrongOptionsOfACommandPointToItsOwnHelp() throws {
    for words in [["-o", "replace=maybe"], ["--log-level", "loud"], ["-o", "max_threads=0"]] {
      let outcome = try Shell.run([MountedBucket.executable, "mount"] + words + ["/nonexistent", "/nonexistent"])
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasSuffix("; see bucketfs mount --help\n"), "\(outcome)")
    }
  }

  @Test func aMountIsNoBucketDirectory() throws {
    try MountedBucket.with { bucket in
      for command in ["check", "eject"] {
        let outcome = try run(command, bucket.mountpoint.description)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a mount of a bucket"))
      }
    }
  }

  @Test func wrongUsageAndMissingBucketsAreRefusedInOneLine() throws {
    for (arguments, status) in [
      (["check"], 2), (["check", "--what", "b"], 2), (["eject", "a", "b"], 2), (["check", "/nonexistent"], 1),
      (["eject", "/proc"], 1), (["check", "/proc"], 1),
    ] as [([String], Int32)] {
      let outcome = try Shell.run([MountedBucket.executable] + arguments)
      #expect(outcome.status == status, "\(arguments)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }
}
