import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// generation, metageneration and the times that go with them.
@Suite struct GenerationTests {
  private func generation(_ file: Path) throws -> Int64 {
    try #require(try Int64(file.attribute("generation")))
  }

  /// Steps in a folder with `a` and `b`, and whether `a` then has another content. Each is bash.
  private static let series: [(script: String, changes: Bool)] = [
    ("echo 1 > a", true),
    ("echo 2 >> a", true),
    ("touch -d 2001-01-01 a", false),
    ("touch -d 2041-01-01 a", false),
    ("echo 3 > a", true),
    ("touch -d 1969-12-31 a", false),
    ("chmod 600 a; chmod 644 a; chown 1:1 a", false),
    ("setfattr -n user.location -v here a", false),
    ("echo 4 > a", true),
    ("touch -d 2001-01-01 b; mv b a", true),
    ("mv a c; mv c a", false),
    ("ln a l; rm l", false),
    ("cp -p --preserve=timestamps old a", true),
    ("truncate -s 1 a", true),
    ("rm a; echo 5 > a", true),
    ("touch -d 2051-01-01 a", false),
    ("rm a; echo 6 > a", true),
    ("touch -d 2001-01-01 a; echo 7 > t; mv t a", true),
    ("dd if=old of=a conv=notrunc status=none; touch -d 2001-01-01 a", true),
    ("echo other > old; touch -d 2001-01-02 old; rsync -a --inplace old a", true),
    ("python3 -c 'import os; os.utime(\"a\", ns=(5, 5))'", false),
  ]

  @Test func aLaterContentHasTheHigherGeneration() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "a"
      try Shell.expect("echo b > b; echo old > old; touch -d 2001-01-01 old", in: bucket.mountpoint)
      var last: Int64 = 0
      for step in Self.series {
        try Shell.expect(step.script, in: bucket.mountpoint)
        let now = try generation(file)
        if step.changes {
          #expect(now > last, "\(step.script)")
        } else {
          #expect(now == last, "\(step.script)")
        }
        #expect(try generation(file) == now)
        last = now
      }
      try bucket.remount()
      #expect(try generation(file) == last)
    }
  }

  /// close(2) returns before the daemon has heard of it.
  @Test func anOldDateSetRightAfterTheLastWriteDoesNotLowerIt() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "a"
      var last: Int64 = 0
      for round in 0..<100 {
        try file.write("round \(round)")
        let written = try generation(file)
        #expect(written > last, "round \(round)")
        try file.write("round \(round) again")
        try file.setTimes(1_000_000_000_000_000_000)
        let touched = try generation(file)
        #expect(touched > written, "round \(round)")
        usleep(2000)
        #expect(try generation(file) == touched, "round \(round)")
        last = touched
      }
    }
  }

  @Test func aChangeMadeOutsideCountsToo() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "a"
      try file.write("x")
      try file.set("location", "here")
      let first = try generation(file)
      try (bucket.backing / "a").append("outside")
      let second = try generation(file)
      #expect(second > first)
      try Shell.expect("echo older >> a; touch -d 2001-01-01 a", in: bucket.backing)
      #expect(try generation(file) > first)
      #expect(try file.attribute("metageneration") == "1")
    }
  }

  @Test func metagenerationCountsEachChangeAndStartsAnewWithTheContent() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "a"
      try file.write("x")
      var expected = 1
      func expect(_ change: () throws -> Void) rethrows {
        try change()
        expected += 1
        #expect((try? file.attribute("metageneration")) == "\(expected)")
      }
      #expect(try file.attribute("metageneration") == "1")
      try expect { try file.set("location", "here") }
      try expect { try file.set("location", "here") }
      try expect { try file.set("contentType", "text/html") }
      try expect { try file.remove("location") }
      try expect { try file.set("bucketfs.update", #"{"cacheControl":"a","contentType":null}"#) }
      try expect { try file.set("customMetadata", #"{"a":"1","b":"2"}"#) }
      try expect { try file.remove("customMetadata") }
      for refused in [#"{"cacheControl":""}"#, "{"] {
        #expect(throws: Errno.self) { try file.set("bucketfs.update", refused) }
      }
      #expect(throws: Errno.noData) { try file.remove("location") }
      #expect(try file.attribute("metageneration") == "\(expected)")
      try file.changeMode(0o600)
      try file.setTimes(1_000_000_000_000_000_000)
      try file.rename(to: bucket / "b")
      try (bucket / "b").rename(to: file)
      #expect(try file.attribute("metageneration") == "\(expected)")
      try file.append("y")
      #expect(try file.attribute("metageneration") == "1")
      #expect(try file.attribute("cacheControl") == "a")
    }
  }

  @Test func updatedIsTheLatestChangeAndTimeCreatedTheGenerations() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "a"
      try file.write("x")
      let created = try file.attribute("timeCreated")
      #expect(try file.attribute("updated") == created)
      usleep(20_000)
      try file.set("location", "here")
      #expect(try file.attribute("timeCreated") == created)
      let updated = try file.attribute("updated")
      #expect(updated > created)
      usleep(20_000)
      try file.append("y")
      #expect(try file.attribute("timeCreated") > updated)
      #expect(try file.attribute("updated") >= file.attribute("timeCreated"))
      try file.setTimes(4_000_000_000_000_000_000)
      #expect(try file.attribute("updated") >= file.attribute("timeCreated"))
    }
  }
}
