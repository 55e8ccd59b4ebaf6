import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// What becomes of metadata when objects are overwritten, replaced, removed and made again.
@Suite struct ObjectLifeTests {
  @Test func overwritingKeepsMetadata() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "i"
      try file.write("content")
      try (bucket / "f").write("another")
      try file.set("cacheControl", "no-store")
      try file.set("location", "here")
      let attributes = try file.attributes()
      let steps = [
        "echo x > i", "cp f i", "echo more >> i", "truncate -s 3 i", "truncate -s 0 i", "dd if=f of=i status=none",
        "rsync --inplace f i",
      ]
      for step in steps {
        try Shell.expect(step, in: bucket.mountpoint)
        #expect(try file.attributes() == attributes, "\(step)")
      }
    }
  }

  @Test func aReplacedOrRemovedObjectLeavesNothingBehind() throws {
    try MountedBucket.with { bucket in
      let (a, b) = (bucket / "a", bucket / "b")
      try a.write("1")
      try a.set("of", "a")
      try Shell.expect("rm a; echo > a", in: bucket.mountpoint)
      #expect(try a.attributeNames() == [])

      try a.set("of", "a")
      try b.write("2")
      try b.set("of", "b")
      try Shell.expect("mv b a", in: bucket.mountpoint)
      #expect(try a.attribute("of") == "b")
      #expect(try a.attributeNames() == ["user.of"])
    }
  }

  @Test func aReusedInodeNumberBringsNothingBack() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      var last: Int64 = 0
      for round in 0..<200 {
        try file.write("\(round)")
        #expect(try file.attributeNames() == [], "round \(round)")
        #expect(throws: Errno.noData) { try file.attribute("location") }
        let generation = try #require(try Int64(file.attribute("generation")))
        #expect(generation > last, "round \(round)")
        last = generation
        try file.set("location", "here")
        try file.unlink()
      }
    }
  }

  @Test func metadataSetDuringAnOpenWriteLosesNothing() throws {
    try MountedBucket.with { bucket in
      let path = bucket / "f"
      let file = try OpenFile(path, O_WRONLY | O_CREAT)
      try file.write("first line\n")
      try Shell.expect("setfattr -n user.location -v here f", in: bucket.mountpoint)
      try file.write("second line\n")
      try file.close()
      #expect(try path.text() == "first line\nsecond line\n")
      #expect(try path.attribute("location") == "here")
      #expect(try path.attribute("size") == "23")
      let generation = try #require(try Int64(path.attribute("generation")))
      #expect(try generation >= (bucket.backing / "f").status().modified / 1000)
      #expect(try path.attribute("md5Hash") == Shell.expect("openssl md5 -binary f | base64", in: bucket.backing))
    }
  }

  @Test func renameCarriesMetadataAndExchangeSwapsIt() throws {
    try MountedBucket.with { bucket in
      let (a, b) = (bucket / "a", bucket / "b")
      for (file, value) in [(a, "a"), (b, "b")] {
        try file.write(value)
        try file.set("of", value)
      }
      let generations = try [a.attribute("generation"), b.attribute("generation")]
      try a.rename(to: b, flags: 2)
      #expect(try [a.text(), b.text()] == ["b", "a"])
      #expect(try [a.attribute("of"), b.attribute("of")] == ["b", "a"])
      #expect(try [b.attribute("generation"), a.attribute("generation")] == generations)
      #expect(throws: Errno.fileExists) { try a.rename(to: b, flags: 1) }
      try a.rename(to: bucket / "c", flags: 1)
      #expect(try (bucket / "c").attribute("of") == "b")
      #expect(try (bucket / "c").attribute("generation") == generations[1])
    }
  }

  @Test func filesThatWereThereBeforeTheMountAreObjects() throws {
    try MountedBucket.with(prepare: { backing in
      try (backing / "old.css").write("body {}")
      try (backing / "old.css").set("origin", "elsewhere")
      try (backing / "old.css").set("size", "a custom entry")
    }) { bucket in
      let file = bucket / "old.css"
      #expect(try file.attribute("contentType") == "text/css")
      #expect(try file.attribute("origin") == "elsewhere")
      #expect(try file.attribute("size") == "7")
      #expect(try file.attributeNames() == ["user.customMetadata.size", "user.origin"])
      try file.set("more", "yes")
      #expect(try file.attributeNames() == ["user.customMetadata.size", "user.more", "user.origin"])
      // The first change took the plain ones into the record.
      #expect(try (bucket.backing / "old.css").attributeNames() == ["user.bucketfs"])
      // Made in B while it is mounted.
      try (bucket.backing / "new.js").write("x")
      #expect(try (bucket / "new.js").attribute("contentType").hasSuffix("javascript"))
    }
  }
}
