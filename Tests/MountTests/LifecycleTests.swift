import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// How a mount ends, and how it comes back.
@Suite struct LifecycleTests {
  private func furnish(_ bucket: MountedBucket) throws {
    try (bucket / "f.html").write("content")
    try (bucket / "f.html").set("location", "here")
  }

  private func expectFurnished(_ bucket: MountedBucket) throws {
    #expect(try (bucket / "f.html").text() == "content")
    #expect(try (bucket / "f.html").attribute("location") == "here")
    #expect(try (bucket / "f.html").attribute("contentType") == "text/html")
  }

  @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsTheMountCleanly(signal: Int32) throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      #expect(bucket.signal(signal) == 0)
      #expect(Mounts.types(at: bucket.mountpoint) == [])
      try bucket.mount()
      try expectFurnished(bucket)
    }
  }

  @Test func aSignalUnderLoadEndsTheMountCleanly() throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      let load = try (0..<4).map { number in
        try Program(
          [
            "bash", "-c",
            "while :; do echo x > l\(number); setfattr -n user.a -v b l\(number); cat l\(number); rm l\(number); done",
          ], in: bucket.mountpoint)
      }
      usleep(300_000)
      #expect(bucket.signal(SIGTERM) == 0)
      #expect(Mounts.types(at: bucket.mountpoint) == [])
      for program in load {
        kill(-program.pid, SIGKILL)
        _ = program.wait(seconds: 5)
      }
      try bucket.mount()
      try expectFurnished(bucket)
      // Each record is whole, whatever was under way.
      for name in try bucket.mountpoint.entries() {
        _ = try (bucket.mountpoint / Path(name)).attributeNames()
      }
    }
  }

  @Test func aMountpointThatAKilledDaemonLeftIsMountedOverAgain() throws {
    try MountedBucket.with(MountOptions(["sandbox=off"])) { bucket in
      try furnish(bucket)
      #expect(bucket.signal(SIGKILL) == 128 + SIGKILL)
      let dead = #expect(throws: Errno.self) { try bucket.mountpoint.entries() }
      #expect([ENOTCONN, ECONNABORTED, ECANCELED].contains(dead?.rawValue))
      try bucket.mount()
      try expectFurnished(bucket)
      bucket.unmount()
      #expect(Mounts.types(at: bucket.mountpoint) == [])
    }
  }

  @Test func aKillInTheMiddleOfChangesLeavesEachRecordWhole() throws {
    try MountedBucket.with { bucket in
      for number in 0..<20 { try (bucket / "f\(number)").write("content") }
      let load = try Program(
        ["bash", "-c", "while :; do for f in f*; do setfattr -n user.a -v $RANDOM $f; done; done"],
        in: bucket.mountpoint)
      usleep(300_000)
      _ = bucket.signal(SIGKILL)
      kill(-load.pid, SIGKILL)
      _ = load.wait(seconds: 5)
      try bucket.mount()
      for number in 0..<20 {
        #expect(try (bucket / "f\(number)").text() == "content")
        #expect(throws: Never.self) { try (bucket / "f\(number)").attributes() }
      }
    }
  }

  @Test func unmountingByEitherToolEndsTheDaemon() throws {
    try MountedBucket.with { bucket in
      for command in ["umount", "fusermount3 -u", "\(MountedBucket.executable) unmount"] {
        try Shell.expect("\(command) \(bucket.mountpoint.quoted)")
        #expect(Mounts.types(at: bucket.mountpoint) == [], "\(command)")
        try bucket.remount()
      }
    }
  }

  @Test func aBusyMountStaysAndSaysSo() throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      let file = try OpenFile(bucket / "f.html")
      let outcome = try Shell.run([MountedBucket.executable, "unmount", bucket.mountpoint.description])
      #expect(outcome.status == 1)
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
      #expect(try file.read(7) == Array("content".utf8))
    }
  }

  @Test func aBackgroundMountAnswersWhenTheCommandReturns() throws {
    try TemporaryDirectory.with { folder in
      let (backing, mountpoint) = (folder / "bucket", folder / "mount")
      try backing.makeFolder()
      try mountpoint.makeFolder()
      try (backing / "f.html").write("x")
      defer { while !Mounts.types(at: mountpoint).isEmpty { Mounts.unmount(mountpoint) } }
      let program = MountedBucket.executable
      for command in [
        "\(program) mount \(backing) \(mountpoint)", "\(program) \(backing) \(mountpoint) -o allow_other",
        "\(program) mount -o default_permissions,noexec \(backing) \(mountpoint)",
      ] {
        let outcome = try Shell.bash(command)
        #expect(outcome.isClean, "\(command): \(outcome)")
        #expect(try (mountpoint / "f.html").attribute("contentType") == "text/html")
        try Shell.expect("\(program) unmount \(mountpoint)")
        #expect(Mounts.types(at: mountpoint) == [])
      }
    }
  }

  @Test func aDeadMountIsCalledSoByTheCommands() throws {
    try MountedBucket.with(MountOptions(["sandbox=off"])) { bucket in
      try (bucket / "f").write("x")
      _ = bucket.signal(SIGKILL)
      for words in [["stat", "\(bucket / "f")"], ["status", "\(bucket.mountpoint)"]] {
        let outcome = try Shell.run([MountedBucket.executable] + words)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the daemon of the mount has ended, mount again\n"), "\(outcome)")
      }
      try bucket.mount()
      #expect(try (bucket / "f").text() == "x")
    }
  }
}
