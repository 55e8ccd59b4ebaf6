import SystemCalls
import TestSupport
import Testing

/// One damaged record spoils nothing but its own object's metadata.
@Suite struct DamageTests {
  @Test(arguments: ["garbage", "", "\u{0}"]) func aDamagedRecordIsReportedAndKept(garbage: String) throws {
    try MountedBucket.with { bucket in
      for name in ["bad", "good"] {
        let file = bucket.mountpoint / Path(name)
        try file.write("content")
        try file.set("location", "here")
      }
      let backing = bucket.backing / "bad"
      try backing.set("bucketfs", garbage)
      let (bad, good) = (bucket / "bad", bucket / "good")

      try Shell.expect("ls -l", in: bucket.mountpoint)
      #expect(try bad.text() == "content")
      for (property, value) in ["name": "bad", "fullPath": "bad", "size": "7", "bucket": "bucket"] {
        #expect(try bad.attribute(property) == value)
      }
      for name in [
        "generation", "metageneration", "updated", "contentType", "location", "customMetadata", "bucketfs.json",
      ] {
        #expect(throws: Errno.ioError, "\(name)") { try bad.attribute(name) }
      }
      #expect(throws: Errno.ioError) { try bad.attributeNames() }
      #expect(throws: Errno.ioError) { try bad.set("location", "there") }
      #expect(throws: Errno.ioError) { try bad.remove("location") }
      #expect(throws: Errno.notPermitted) { try bad.set("size", "1") }

      // The data goes on, and nothing overwrites the record.
      try bad.append(" and more")
      try bad.rename(to: bucket / "moved")
      #expect(try (bucket / "moved").text() == "content and more")
      #expect(try (bucket.backing / "moved").attribute("bucketfs") == garbage)
      #expect(try good.attribute("location") == "here")
      try good.set("location", "there")
      try (bucket / "moved").unlink()
      #expect(bucket.log.contains("bad") || !bucket.log.isEmpty)
    }
  }

  @Test func anOverflowThatStayedBehindIsReported() throws {
    try MountedBucket.with(on: .ext4) { bucket in
      let file = bucket / "f"
      try file.write("content")
      for number in 1...8 { try file.set("k\(number)", String(repeating: "v", count: 1000)) }
      try Shell.expect("find .bucketfs -type f ! -name lock -delete", in: bucket.backing)
      try bucket.remount()
      #expect(throws: Errno.ioError) { try file.attribute("k1") }
      #expect(throws: Errno.ioError) { try file.attributeNames() }
      #expect(try file.text() == "content")
      #expect(try file.attribute("size") == "7")
    }
  }
}
