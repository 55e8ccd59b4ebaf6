import Foundation
import SystemCalls
import TestSupport
import Testing

/// `bucketfs stat`, under a mount and in a bucket directory that is not mounted.
@Suite struct StatTests {
  private func stat(_ arguments: [String], in folder: Path) throws -> Outcome {
    try Shell.run([MountedBucket.executable, "stat"] + arguments, in: folder)
  }

  private func furnish(_ bucket: MountedBucket) throws {
    try (bucket / "images").makeFolder()
    try (bucket / "images/forest.jpg").write("forest")
    try (bucket / "images/forest.jpg").set("cacheControl", "no-store")
    try (bucket / "images/forest.jpg").set("location", "Yosemite, CA, USA")
  }

  @Test func theTableShowsEachProperty() throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      for folder in [bucket.mountpoint, bucket.backing] {
        let outcome = try stat(["images/forest.jpg"], in: folder)
        #expect(outcome.isClean, "\(outcome)")
        for word in ["fullPath", "images/forest.jpg", "no-store", "image/jpeg", "location", "Yosemite, CA, USA"] {
          #expect(outcome.text.contains(word), "\(word) in \(outcome)")
        }
      }
    }
  }

  @Test func theJSONIsTheAttributes() throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      let attribute = try (bucket / "images/forest.jpg").attribute("bucketfs.json")
      let expected = try #require(JSONSerialization.jsonObject(with: Data(attribute.utf8)) as? NSDictionary)
      for folder in [bucket.mountpoint, bucket.backing] {
        let outcome = try stat(["--json", "images/forest.jpg"], in: folder)
        #expect(outcome.isClean, "\(outcome)")
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? NSDictionary
        #expect(object == expected, "\(folder)")
      }
    }
  }

  @Test func whatIsMissingIsSaidAndTheRestShown() throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      let outcome = try stat(["missing", "images/forest.jpg"], in: bucket.mountpoint)
      #expect(outcome.status == 1)
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
      #expect(outcome.errors.contains("missing"))
      #expect(outcome.text.contains("no-store"))
    }
  }
}
