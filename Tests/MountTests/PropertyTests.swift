import SystemCalls
import TestSupport
import Testing

/// Each row of the property table, by path and by descriptor.
@Suite struct PropertyTests {
  @Test(arguments: Access.allCases) func readOnlyPropertiesTellOfTheFile(access: Access) throws {
    try MountedBucket.with(MountOptions(arguments: ["--bucket", "example.appspot.com"])) { bucket in
      try (bucket / "images").makeFolder()
      try (bucket / "images/forest.jpg").write("12345")
      let status = try (bucket.backing / "images/forest.jpg").status()
      let file = try access.reach(bucket / "images/forest.jpg")

      #expect(try file.attribute("bucket") == "example.appspot.com")
      #expect(try file.attribute("fullPath") == "images/forest.jpg")
      #expect(try file.attribute("name") == "forest.jpg")
      #expect(try file.attribute("size") == "5")
      #expect(try file.attribute("metageneration") == "1")
      let generation = max(status.modified, status.born) / 1000
      #expect(try file.attribute("generation") == "\(generation)")
      let created = try file.attribute("timeCreated")
      #expect(created.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(created)")
      let expected = try Shell.expect(
        "date -u -d @\(generation / 1_000_000) +%Y-%m-%dT%H:%M:%S.\(padded(generation / 1000 % 1000))Z")
      #expect(created == expected)
      #expect(try file.attribute("updated") == created)
    }
  }

  @Test func theBucketIsNamedAfterItsFolder() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("")
      #expect(try (bucket / "f").attribute("bucket") == "bucket")
    }
  }

  @Test(arguments: Expected.readOnly, Access.allCases)
  func aReadOnlyPropertyIsRefusedWhateverTheFlagsAndTheValue(property: String, access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "f.txt").write("content")
      try (bucket / "f.txt").set("cacheControl", "no-store")
      let before = try Tree(bucket.backing)
      let file = try access.reach(bucket / "f.txt")
      let present = try file.attribute(property)
      for value in [present, "1", "", "nonsense \u{1}"] {
        for flags in 0...AttributeFlags.both {
          #expect(throws: Errno.notPermitted, "\(value), \(flags)") { try file.set(property, value, flags: flags) }
        }
      }
      #expect(throws: Errno.notPermitted) { try file.remove(property) }
      #expect(try file.attribute(property) == present)
      #expect(try Tree(bucket.backing).differences(from: before) == [])
    }
  }

  @Test(arguments: Expected.writable.keys.sorted(), Access.allCases)
  func aWritablePropertyIsSetReplacedListedAndRemoved(property: String, access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "page.html").write("content")
      let file = try access.reach(bucket / "page.html")
      let computed = try file.attributeIfSet(property)
      let value = try #require(Expected.writable[property])

      #expect(try file.attributeNames() == [])
      #expect(throws: Errno.noData) { try file.set(property, value, flags: AttributeFlags.replace) }
      #expect(throws: Errno.invalidArgument) { try file.set(property, value, flags: AttributeFlags.both) }
      try file.set(property, value, flags: AttributeFlags.create)
      #expect(try file.attribute(property) == value)
      #expect(try file.attributeSize(property) == value.utf8.count)
      #expect(try file.attributeNames() == ["user.\(property)"])
      #expect(throws: Errno.fileExists) { try file.set(property, value, flags: AttributeFlags.create) }
      #expect(throws: Errno.invalidArgument) { try file.set(property, value, flags: AttributeFlags.both) }
      try file.set(property, value, flags: AttributeFlags.replace)
      try file.set(property, value)
      #expect(try file.attribute("metageneration") == "4")

      try file.remove(property)
      #expect(try file.attributeNames() == [])
      #expect(try file.attributeIfSet(property) == (property == "md5Hash" ? computed : nil))
      #expect(try file.attribute("metageneration") == "5")
      #expect(throws: Errno.noData) { try file.remove(property) }
      #expect(try file.attribute("metageneration") == "5")
      #expect(try (bucket / "page.html").text() == "content")
    }
  }

  @Test func anOrdinaryUserUsesPropertiesOfHisOwnFilesAlone() throws {
    try MountedBucket.with { bucket in
      try bucket.mountpoint.changeMode(0o777)
      try (bucket / "roots").write("content")
      try (bucket / "roots").set("cacheControl", "no-store")
      try Caller.nobody.run {
        let own = bucket / "own.html"
        try own.write("<p>")
        for (property, value) in Expected.writable {
          try own.set(property, value)
          #expect(try own.attribute(property) == value)
        }
        try own.set("location", "Yosemite, CA, USA")
        #expect(try own.attributeNames() == (Expected.writable.keys + ["location"]).map { "user.\($0)" }.sorted())
        for property in Expected.readOnly {
          #expect(throws: Errno.notPermitted) { try own.set(property, "1") }
          #expect(throws: Errno.notPermitted) { try own.remove(property) }
        }

        let other = bucket / "roots"
        #expect(try other.attribute("cacheControl") == "no-store")
        #expect(throws: Errno.permissionDenied) { try other.set("cacheControl", "public") }
        #expect(throws: Errno.permissionDenied) { try other.remove("cacheControl") }
        #expect(throws: Errno.notPermitted) { try other.changeMode(0o666) }
        #expect(throws: Errno.permissionDenied) { try other.append("x") }
      }
      #expect(try (bucket / "roots").attribute("cacheControl") == "no-store")
      #expect(try (bucket / "roots").text() == "content")
    }
  }

  @Test func anUnreadableFileShowsNothing() throws {
    try MountedBucket.with { bucket in
      try (bucket / "secret").write("x")
      try (bucket / "secret").changeMode(0o600)
      try Caller.nobody.run {
        for property in Expected.readOnly + Expected.writable.keys {
          #expect(throws: Errno.permissionDenied) { try (bucket / "secret").attribute(property) }
        }
      }
    }
  }

  private func padded(_ milliseconds: Int64) -> String {
    let digits = String(milliseconds)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
