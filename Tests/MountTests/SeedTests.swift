import SystemCalls
import TestSupport
import Testing

/// The examples of Cloud Storage's own documentation, as shell commands.
@Suite struct SeedTests {
  /// `getfattr --only-values` of one attribute; nil with "No such attribute".
  private func get(_ property: String, of file: String, in folder: Path) throws -> String? {
    let outcome = try Shell.bash("getfattr --only-values -n user.\(property) \(file)", in: folder)
    if outcome.status != 0 {
      #expect(outcome.errors.contains("No such attribute"), "\(outcome)")
      return nil
    }
    return outcome.text
  }

  @Test func metadataIsUpdatedDeletedAndCustomized() throws {
    try MountedBucket.with { bucket in
      let mount = bucket.mountpoint
      try Shell.expect(
        """
        mkdir images
        echo forest > images/forest.jpg
        setfattr -n user.cacheControl -v public,max-age=300 images/forest.jpg
        setfattr -n user.contentType -v image/jpeg images/forest.jpg
        """, in: mount)
      let file = "images/forest.jpg"
      #expect(try get("cacheControl", of: file, in: mount) == "public,max-age=300")
      #expect(try get("contentType", of: file, in: mount) == "image/jpeg")
      #expect(try get("name", of: file, in: mount) == "forest.jpg")
      #expect(try get("size", of: file, in: mount) == "7")

      try Shell.expect("setfattr -x user.contentType images/forest.jpg", in: mount)
      #expect(try get("contentType", of: file, in: mount) == nil)
      #expect(try get("cacheControl", of: file, in: mount) == "public,max-age=300")

      try Shell.expect(
        """
        setfattr -n user.location -v "Yosemite, CA, USA" images/forest.jpg
        setfattr -n user.activity -v Hiking images/forest.jpg
        """, in: mount)
      for _ in 1...2 {
        #expect(try get("location", of: file, in: mount) == "Yosemite, CA, USA")
        #expect(try get("activity", of: file, in: mount) == "Hiking")
        #expect(try get("contentType", of: file, in: mount) == nil)
        #expect(try get("cacheControl", of: file, in: mount) == "public,max-age=300")
        try bucket.remount()
      }
    }
  }

  @Test func eachReadOnlyPropertyIsRefusedInWords() throws {
    try MountedBucket.with { bucket in
      try (bucket / "forest.jpg").write("forest")
      let before = try Tree(bucket.backing)
      for property in Expected.readOnly {
        let value = try get(property, of: "forest.jpg", in: bucket.mountpoint)
        for command in ["setfattr -n user.\(property) -v 1 forest.jpg", "setfattr -x user.\(property) forest.jpg"] {
          let outcome = try Shell.bash(command, in: bucket.mountpoint)
          #expect(outcome.status == 1)
          #expect(outcome.errors == "setfattr: forest.jpg: Operation not permitted\n", "\(command)")
        }
        #expect(try get(property, of: "forest.jpg", in: bucket.mountpoint) == value)
      }
      #expect(try Tree(bucket.backing).differences(from: before) == [])
    }
  }
}
