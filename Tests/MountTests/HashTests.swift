import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// md5Hash: computed from the content, or set until the content changes.
@Suite struct HashTests {
  private func digest(_ file: Path) throws -> String {
    try Shell.expect("openssl md5 -binary \(file.quoted) | base64")
  }

  @Test(arguments: Access.allCases) func theComputedHashIsTheContents(access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      let file = try access.reach(bucket / "f")
      let backing = try (bucket.backing / "f").status()
      let computed = try file.attribute("md5Hash")
      let after = try (bucket.backing / "f").status()
      #expect(try computed == digest(bucket.backing / "f"))
      #expect(after.accessed == backing.accessed && after.changed == backing.changed)
      try (bucket / "empty").write("")
      #expect(try (bucket / "empty").attribute("md5Hash") == "1B2M2Y8AsgTpgAmY7PhCfg==")
    }
  }

  @Test func theHashFollowsEachWayToChangeTheContent() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write(String(repeating: "a", count: 10_000))
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
      try file.append("b")
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
      try file.truncate(to: 100)
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
      let open = try OpenFile(file, O_RDWR)
      try open.store(Array("through a mapping".utf8))
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
      try open.write(bytes: Array("written".utf8), at: 50)
      #expect(try open.attribute("md5Hash") == digest(bucket.backing / "f"))
      try open.close()
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
      // Changed by somebody else, in B.
      try (bucket.backing / "f").append("outside")
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
    }
  }

  @Test func storesOfEachSecondAreSeenThoughTheirPageStaysDirty() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write(String(repeating: "a", count: 4096))
      for round in 0..<20 {
        let open = try OpenFile(file, O_RDWR)
        try open.store(Array("round \(round)".utf8))
        try open.close()
        #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"), "round \(round)")
      }
    }
  }

  @Test func aSetHashIsReturnedUntilTheContentChanges() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      let own = "AAECAwQFBgcICQoLDA0ODw=="
      try file.write("content")
      try file.set("md5Hash", own)
      #expect(try file.attribute("md5Hash") == own)
      try file.changeMode(0o600)
      try file.setTimes(1_000_000_000_000_000_000)
      try file.set("location", "here")
      #expect(try file.attribute("md5Hash") == own)
      try bucket.remount()
      #expect(try file.attribute("md5Hash") == own)
      #expect(try file.attributeNames() == ["user.location", "user.md5Hash"])
      try file.append("more")
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
      #expect(try file.attributeNames() == ["user.location"])
      #expect(throws: Errno.noData) { try file.remove("md5Hash") }
    }
  }

  @Test func aHashSetOnAnEmptyFileIsKeptThroughItsFirstContent() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      let own = "AAECAwQFBgcICQoLDA0ODw=="
      let open = try OpenFile(file, O_WRONLY | O_CREAT)
      try file.set("md5Hash", own)
      try open.write("first ")
      try open.write("content")
      try open.close()
      #expect(try file.attribute("md5Hash") == own)
      try file.append("second")
      #expect(try file.attribute("md5Hash") == digest(bucket.backing / "f"))
    }
  }

  @Test func aWrongHashIsRefusedWhereThatWasAskedFor() throws {
    try MountedBucket.with(MountOptions(["verify-md5"])) { bucket in
      let file = bucket / "f"
      try file.write("content")
      #expect(throws: Errno.badMessage) { try file.set("md5Hash", "AAECAwQFBgcICQoLDA0ODw==") }
      try file.set("md5Hash", digest(bucket.backing / "f"))
      try (bucket / "empty").write("")
      try (bucket / "empty").set("md5Hash", "AAECAwQFBgcICQoLDA0ODw==")
    }
  }

  @Test func aFileIsNotBlockedWhileALargeOneIsHashed() throws {
    try MountedBucket.with { bucket in
      try (bucket / "large").write("")
      try (bucket / "large").truncate(to: 10 << 30)
      try (bucket / "small").write("x")
      let hashing = try Program(["getfattr", "-n", "user.md5Hash", (bucket / "large").description])
      for _ in 0..<50 {
        _ = try (bucket / "small").attribute("size")
        _ = try (bucket / "small").text()
      }
      #expect(hashing.wait(seconds: 0) == nil, "the large file was hashed too fast to show anything")
      // The asker goes away, and the hashing with it.
      hashing.signal(SIGKILL)
      #expect(hashing.wait(seconds: 2) == 128 + SIGKILL)
      #expect(try (bucket / "small").attribute("md5Hash") == digest(bucket.backing / "small"))
    }
  }
}
