import SystemCalls
import TestSupport
import Testing

/// What is listed, and what tools that copy attributes make of it.
@Suite struct ListingTests {
  /// Sets every fixed property and some custom entries.
  private func furnish(_ file: Path) throws {
    for (property, value) in Expected.writable { try file.set(property, value) }
    try file.set("location", "Yosemite, CA, USA")
    try file.set("activity", "Hiking")
    try file.set("customMetadata.size", "a key that is a property's name")
    try file.set("empty", "")
  }

  @Test(arguments: Access.allCases) func onlyWhatWasSetIsListedAndEachNameOnce(access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "f.html").write("x")
      let file = try access.reach(bucket / "f.html")
      #expect(try file.attributeNames() == [])
      _ = try file.attribute("md5Hash")
      #expect(try file.attributeNames() == [])
      try furnish(bucket / "f.html")
      #expect(
        try file.attributeNames()
          == (Expected.writable.keys.map { "user.\($0)" }
          + ["user.activity", "user.customMetadata.size", "user.empty", "user.location"]).sorted())
    }
  }

  @Test func whateverIsListedCanBeReadSetElsewhereAndRemoved() throws {
    try MountedBucket.with { bucket in
      let (from, to) = (bucket / "from", bucket / "to")
      try from.write("x")
      try to.write("x")
      try furnish(from)
      for (name, value) in try from.attributes() { try to.setAttribute(Array(name.utf8), value, flags: 0) }
      #expect(try to.attributes() == from.attributes())
      for name in try from.attributeNames() { try from.removeAttribute(Array(name.utf8)) }
      #expect(try from.attributeNames() == [])
    }
  }

  @Test func rsyncCopiesOutAndInAndFindsNothingLeftToDo() throws {
    try MountedBucket.with { bucket in
      try TemporaryDirectory.with { other in
        try (bucket / "f.html").write("x")
        try furnish(bucket / "f.html")
        try (bucket / "d").makeFolder()
        let attributes = try (bucket / "f.html").attributes()
        for _ in 1...2 {
          try Shell.expect("rsync -aX \((bucket / "f.html").quoted) \(other.quoted)/")
          try Shell.expect("rsync -aX \(other.quoted)/ \((bucket / "d").quoted)/")
        }
        #expect(try (other / "f.html").attributes() == attributes)
        #expect(try (bucket / "d/f.html").attributes() == attributes)
        let changes = try Shell.expect("rsync -aXi \(other.quoted)/ \((bucket / "d").quoted)/")
        #expect(changes == "")
      }
    }
  }

  @Test func cpAndTarTakeTheMetadataAlong() throws {
    try MountedBucket.with { bucket in
      try TemporaryDirectory.with { other in
        try (bucket / "f.html").write("x")
        try furnish(bucket / "f.html")
        let attributes = try (bucket / "f.html").attributes()
        let (mount, out) = (bucket.mountpoint.quoted, other.quoted)
        try Shell.expect(
          "cp -a \(mount)/f.html \(mount)/inside; cp -a \(mount)/f.html \(out)/out; cp -a \(out)/out \(mount)/in")
        for copy in [bucket / "inside", other / "out", bucket / "in"] {
          #expect(try copy.attributes() == attributes, "\(copy)")
        }
        try Shell.expect(
          "tar --xattrs -cf \(out)/t.tar -C \(mount) f.html; mkdir \(mount)/d; tar --xattrs --xattrs-include='user.*' -xf \(out)/t.tar -C \(mount)/d"
        )
        #expect(try (bucket / "d/f.html").attributes() == attributes)
      }
    }
  }

  @Test func theRecordItselfIsNeverShown() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.set("location", "here")
      #expect(throws: Errno.noData) { try file.attribute("bucketfs") }
      #expect(throws: Errno.noData) { try file.attribute("bucketfs.other") }
      #expect(try !file.attributeNames().contains { $0.hasPrefix("user.bucketfs") })
      let dump = try Shell.expect("getfattr -m - -d \(file.quoted) 2>/dev/null")
      #expect(!dump.contains("bucketfs="), "\(dump)")
      for name in ["bucketfs", "bucketfs.other", "bucketfs.json", "bucketfs.status"] {
        #expect(throws: Errno.notPermitted, "\(name)") { try file.set(name, "x") }
        #expect(throws: Errno.notPermitted, "\(name)") { try file.remove(name) }
      }
    }
  }

  @Test func removalsLeaveNoEmptyNames() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      for key in ["a", "b", "c"] { try file.set(key, "1") }
      try file.remove("a")
      try file.remove("c")
      #expect(try file.attributeNames() == ["user.b"])
    }
  }

  @Test(arguments: Access.allCases) func sizeProbesAreExact(access: Access) throws {
    try MountedBucket.with { bucket in
      let path = bucket / "f.html"
      try path.write("x")
      for number in 1...50 { try path.set("entry\(number)", String(repeating: "v", count: number)) }
      let file = try access.reach(path)
      var none: [UInt8] = []
      let size = try file.listAttributes(into: &none)
      var all = [UInt8](repeating: 0, count: size)
      #expect(try file.listAttributes(into: &all) == size)
      #expect(all.split(separator: 0).count == 50)
      var short = [UInt8](repeating: 0xaa, count: size - 1)
      #expect(throws: Errno.outOfRange) { try file.listAttributes(into: &short) }

      for property in Expected.readOnly + Expected.writable.keys + ["customMetadata", "bucketfs.json"] {
        guard let value = try file.attributeIfSet(property) else { continue }
        #expect(try file.attributeSize(property) == value.utf8.count, "\(property)")
      }
      #expect(try file.attributeSize("md5Hash") == 24)
    }
  }

  @Test(arguments: Access.allCases) func aShortBufferIsLeftAlone(access: Access) throws {
    try MountedBucket.with { bucket in
      let path = bucket / "f"
      try path.write("x")
      try path.set("key", "0123456789")
      let file = try access.reach(path)
      for name in ["user.key", "user.contentType", "user.generation", "user.md5Hash"] {
        var buffer: [UInt8] = [0xaa, 0xaa, 0xaa]
        #expect(throws: Errno.outOfRange, "\(name)") { try file.getAttribute(Array(name.utf8), into: &buffer) }
        #expect(buffer == [0xaa, 0xaa, 0xaa])
      }
    }
  }

  @Test func theLongListIsForPeopleWhoOnlyLook() throws {
    try MountedBucket.with(MountOptions(["list=all"])) { bucket in
      let file = bucket / "f.html"
      try file.write("x")
      try file.set("location", "here")
      #expect(
        try file.attributeNames() == (Expected.readOnly + ["contentType", "location"]).map { "user.\($0)" }.sorted())
      for name in try file.attributeNames() { _ = try file.attributeBytes(Array(name.utf8)) }
    }
  }
}
