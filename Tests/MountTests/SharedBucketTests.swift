import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Several daemons on one bucket, and daemons that die.
@Suite struct SharedBucketTests {
  @Test func noChangeIsLostBetweenTwoMounts() throws {
    try withTwoMounts { bucket, second in
      try (bucket / "f").write("x")
      let writers = try [bucket.mountpoint, bucket.mountpoint, second, second].enumerated().map { number, mount in
        try Program(
          [
            "python3", "-c",
            """
            import os
            for i in range(500):
              os.setxattr("f", "user.writer\(number)", str(i).encode())
            """,
          ], in: mount)
      }
      for writer in writers { #expect(writer.wait(seconds: 120) == 0, "\(writer.standardError)") }
      for mount in [bucket.mountpoint, second] {
        for number in 0..<4 { #expect(try (mount / "f").attribute("writer\(number)") == "499") }
        #expect(try (mount / "f").attribute("metageneration") == "2001")
      }
    }
  }

  @Test func noChangeIsLostBetweenTwoMountsAndTheCore() throws {
    try withTwoMounts { bucket, second in
      try (bucket / "f").write("x")
      let setting = """
        import os, sys
        for i in range(500):
          os.setxattr("f", "user." + sys.argv[1], str(i).encode())
        """
      var writers = try [bucket.mountpoint, second].enumerated().map { number, mount in
        try Program(["python3", "-c", setting, "writer\(number)"], in: mount)
      }
      for id in ["a", "b"] {
        writers.append(try Program([MountedBucket.worker, "count", "\(bucket.backing)", "f", id, "500"]))
      }
      for writer in writers { #expect(writer.wait(seconds: 120) == 0, "\(writer.standardError)") }
      for mount in [bucket.mountpoint, second] {
        let file = mount / "f"
        for number in 0..<2 { #expect(try file.attribute("writer\(number)") == "499") }
        for id in ["a", "b"] { #expect(try file.attribute(id) == "500") }
        #expect(try file.attribute("all") == "1000")
        #expect(try file.attribute("metageneration") == "2001")
      }
    }
  }

  @Test func aKilledDaemonLeavesTheOldStateOrTheNewAndKeepsWhatItAcknowledged() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("content")
      for round in 0..<(Effort.isThorough ? 300 : 20) {
        // Values of every size: inside the inode, in a block, in a file of their own.
        let writer = try Program(
          [
            "python3", "-u", "-c",
            """
            import os
            path = os.path.abspath("f")
            os.chdir("/")
            i = 0
            while True:
              i += 1
              value = ("%d." % i).ljust([8, 200, 2000, 4000][i % 4], "v").encode()
              os.setxattr(path, "user.a", value)
              print(i)
              os.setxattr(path, "user.b", value)
            """,
          ], in: bucket.mountpoint)
        usleep(60_000 + UInt32(round % 100) * 3_137)
        _ = bucket.signal(SIGKILL)
        _ = writer.wait(seconds: 10)
        try bucket.mount()
        let acknowledged = String(decoding: writer.standardOutput, as: UTF8.self).split(separator: "\n").last ?? "0"
        let a = try number(file.attributeIfSet("a"))
        let b = try number(file.attributeIfSet("b"))
        let last = Int(acknowledged) ?? 0
        #expect(a == last || a == last + 1, "round \(round): \(a), acknowledged \(last)")
        #expect(b == a || b == a - 1, "round \(round): \(a) and \(b)")
        #expect(try file.text() == "content")
        if a > 0 { try file.remove("a") }
        if b > 0 { try file.remove("b") }
      }
    }
  }

  /// Calls `body` with a bucket that a second daemon has mounted too, and with that mountpoint.
  private func withTwoMounts(_ body: (MountedBucket, Path) throws -> Void) throws {
    try MountedBucket.with { bucket in
      try TemporaryDirectory.with { folder in
        let second = folder / "second"
        try second.makeFolder()
        try Shell.expect(
          "\(MountedBucket.executable) mount -o allow_other \(bucket.backing.quoted) \(second.quoted)")
        defer { Mounts.unmount(second) }
        try body(bucket, second)
      }
    }
  }

  /// The number at the start of a value, 0 where nothing is set.
  private func number(_ value: String?) -> Int {
    value.flatMap { $0.split(separator: ".").first }.flatMap { Int($0) } ?? 0
  }
}
