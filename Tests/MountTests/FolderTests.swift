import SystemCalls
import TestSupport
import Testing

/// Folders, the root among them, and what has no properties at all.
@Suite struct FolderTests {
  @Test(arguments: ["photos", ""], Access.allCases)
  func aFolderHasThreeReadOnlyPropertiesAndCustomMetadata(name: String, access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "photos").makeFolder()
      let folder = try access.reach(name.isEmpty ? bucket.mountpoint : bucket / "photos")

      #expect(try folder.attribute("bucket") == "bucket")
      #expect(try folder.attribute("fullPath") == name)
      #expect(try folder.attribute("name") == name)
      for property in Expected.readOnly + Expected.writable.keys {
        #expect(throws: Errno.notPermitted) { try folder.set(property, "1") }
        #expect(throws: Errno.notPermitted) { try folder.remove(property) }
        if !Expected.folder.contains(property) {
          #expect(throws: Errno.noData, "\(property)") { try folder.attribute(property) }
        }
      }

      #expect(try folder.attributeNames() == [])
      try folder.set("season", "summer")
      try folder.set("customMetadata.size", "large")
      #expect(try folder.attributeNames() == ["user.customMetadata.size", "user.season"])
      #expect(try folder.attribute("season") == "summer")
      #expect(try folder.attribute("customMetadata") == #"{"season":"summer","size":"large"}"#)
      try folder.set("customMetadata", #"{"a":"b"}"#)
      #expect(try folder.attributeNames() == ["user.a"])
      try folder.remove("customMetadata")
      #expect(try folder.attributeNames() == [])
    }
  }

  @Test func aFolderTakesUpdatesOfCustomMetadataAlone() throws {
    try MountedBucket.with { bucket in
      let folder = bucket / "d"
      try folder.makeFolder()
      try folder.set("bucketfs.update", #"{"customMetadata":{"a":"1"}}"#)
      #expect(try folder.attribute("a") == "1")
      #expect(throws: Errno.notPermitted) { try folder.set("bucketfs.update", #"{"contentType":"text/html"}"#) }
      let json = try folder.attribute("bucketfs.json")
      #expect(json.contains(#""fullPath":"d""#), "\(json)")
      #expect(!json.contains("contentType"), "\(json)")
    }
  }

  @Test func metadataOfAFolderFollowsItsRename() throws {
    try MountedBucket.with { bucket in
      try (bucket / "a").makeFolder()
      try (bucket / "a/f.txt").write("x")
      try (bucket / "a/f.txt").set("k", "file")
      try (bucket / "a").set("k", "folder")
      try (bucket / "a").rename(to: bucket / "b")
      #expect(try (bucket / "b").attribute("k") == "folder")
      #expect(try (bucket / "b").attribute("fullPath") == "b")
      #expect(try (bucket / "b/f.txt").attribute("k") == "file")
      #expect(try (bucket / "b/f.txt").attribute("fullPath") == "b/f.txt")
    }
  }

  @Test func thePrivateFolderIsNotThere() throws {
    try MountedBucket.with { bucket in
      // A change of metadata takes the lock that lies in it.
      try (bucket / "f").write("x")
      try (bucket / "f").set("a", "1")
      let hidden = bucket / ".bucketfs"
      #expect(throws: Errno.noSuchFileOrDirectory) { try hidden.status() }
      #expect(throws: Errno.noSuchFileOrDirectory) { try (hidden / "lock").read() }
      #expect(try bucket.mountpoint.entries() == ["f"])
      #expect(throws: Errno.notPermitted) { try hidden.makeFolder() }
      #expect(throws: Errno.notPermitted) { try hidden.write("") }
      #expect(throws: Errno.notPermitted) { try (bucket / "f").rename(to: hidden) }
      #expect(throws: Errno.notPermitted) { try (bucket / "f").link(to: hidden) }
      #expect(throws: Errno.notPermitted) { try hidden.makeSymbolicLink(to: "f") }

      try (bucket / "d").makeFolder()
      try (bucket / "d/.bucketfs").makeFolder()
      #expect(try (bucket / "d").entries() == [".bucketfs"])
    }
  }

  @Test func thePrivateFolderIsMadeOnlyWhenNeeded() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      _ = try (bucket / "f").attribute("generation")
      #expect(!(bucket.backing / ".bucketfs").exists)
      try (bucket / "f").set("a", "1")
      if (bucket.backing / ".bucketfs").exists {
        #expect(try (bucket.backing / ".bucketfs").status().isDirectory)
      }
    }
  }

  @Test func symlinksAndFIFOsBehaveAsInTheBackingDirectory() throws {
    try MountedBucket.with { bucket in
      try (bucket / "target").write("through the link")
      try (bucket / "link").makeSymbolicLink(to: "target")
      #expect(try (bucket / "link").text() == "through the link")
      #expect(try (bucket / "link").attribute("name") == "target")
      #expect(try Shell.expect("readlink \((bucket / "link").quoted)") == "target")
      try (bucket / "fifo").makeFIFO()
      let outcome = try Shell.bash("getfattr -n user.size \((bucket / "fifo").quoted)")
      #expect(outcome.status == 1)
      #expect(throws: Errno.notPermitted) { try (bucket / "null").makeDevice() }
    }
  }
}
