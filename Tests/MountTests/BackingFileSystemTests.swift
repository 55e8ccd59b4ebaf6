import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// The same on each kind of backing filesystem, in short. `scripts/test --all` runs everything on each.
@Suite struct BackingFileSystemTests {
  @Test(arguments: BackingFileSystem.allCases) func propertiesDataAndRemountsWorkOnIt(kind: BackingFileSystem) throws {
    try MountedBucket.with(on: kind) { bucket in
      let file = bucket / "page.html"
      try file.write("12345")
      for access in Access.allCases {
        let reached = try access.reach(file)
        for property in Expected.readOnly {
          let value = try reached.attribute(property)
          #expect(throws: Errno.notPermitted) { try reached.set(property, value) }
          #expect(throws: Errno.notPermitted) { try reached.remove(property) }
        }
        for (property, value) in Expected.writable {
          try reached.set(property, value)
          #expect(try reached.attribute(property) == value)
        }
      }
      for number in 1...8 { try file.set("k\(number)", String(repeating: "v", count: 1000)) }
      #expect(throws: Errno.noSpace) { try file.set("k9", String(repeating: "v", count: 1000)) }
      let attributes = try file.attributes()
      #expect(attributes.count == Expected.writable.count + 8)

      let generation = try file.attribute("generation")
      try file.setTimes(1_000_000_000_000_000_000)
      try file.rename(to: bucket / "moved.html")
      try bucket.remount()
      let moved = bucket / "moved.html"
      #expect(try moved.attributes() == attributes)
      #expect(try moved.attribute("generation") == generation)
      #expect(try moved.text() == "12345")
      try moved.append("6")
      #expect(try moved.attribute("size") == "6")
      #expect(try #require(Int64(moved.attribute("generation"))) > #require(Int64(generation)))
      for name in try moved.attributeNames() { try moved.removeAttribute(Array(name.utf8)) }
      #expect(try moved.attributeNames() == [])
    }
  }

  @Test func subvolumesOfBtrfsAreFilesystemsOfTheirOwn() throws {
    try MountedBucket.with(on: .btrfs) { bucket in
      try Shell.expect(
        "btrfs subvolume create one > /dev/null; btrfs subvolume create two > /dev/null", in: bucket.backing)
      for name in ["one", "two"] { try (bucket / "\(name)/f").write(name) }
      #expect(try (bucket.backing / "one/f").status().inode == (bucket.backing / "two/f").status().inode)
      #expect(try (bucket / "one/f").status().inode != (bucket / "two/f").status().inode)
      try (bucket / "one/f").set("of", "one")
      #expect(try (bucket / "two/f").attributeNames() == [])
      #expect(try (bucket / "two/f").text() == "two")
      #expect(throws: Errno.improperLink) { try (bucket / "one/f").link(to: bucket / "two/g") }
    }
  }
}
