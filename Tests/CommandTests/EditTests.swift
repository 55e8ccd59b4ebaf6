import SystemCalls
import TestSupport
import Testing

/// `bucketfs set` and `bucketfs unset`.
@Suite struct EditTests {
  @Test func severalPropertiesAreOneChange() throws {
    try BucketFolder.with { folder in
      try folder.lines("set", "bucket/images/forest.jpg", "contentType=image/png", "customMetadata.location=Zürich, CH")
      let json = try folder.lines("stat", "--json", "bucket/images/forest.jpg")
      #expect(json.first?.contains(#""metageneration":"2""#) == true, "\(json)")
      #expect(json.first?.contains(#""contentType":"image/png""#) == true, "\(json)")
      #expect(json.first?.contains(#""customMetadata":{"location":"Zürich, CH"}"#) == true, "\(json)")
      try folder.lines("unset", "bucket/images/forest.jpg", "contentType", "customMetadata.location")
      let after = try folder.lines("stat", "--json", "bucket/images/forest.jpg")
      #expect(after.first?.contains(#""metageneration":"3""#) == true, "\(after)")
      #expect(after.first?.contains("contentType") == false, "\(after)")
    }
  }

  @Test func patternsChooseWhatIsChangedBelowAFolder() throws {
    try BucketFolder.with { folder in
      try folder.lines("set", "-R", "--include", "*.js", "--include", "*.html", "bucket", "cacheControl=no-store")
      #expect(try folder.lines("find", "bucket", "cacheControl") == ["bucket/images/a.js", "bucket/index.html"])
      try folder.lines("unset", "-R", "--exclude", "images", "bucket", "cacheControl")
      #expect(try folder.lines("find", "bucket", "cacheControl") == ["bucket/images/a.js"])
    }
  }

  @Test func conditionsThatDoNotHoldChangeNothing() throws {
    try BucketFolder.with { folder in
      for (words, word) in [
        (["--if-generation-match", "1"], "generation"), (["--if-metageneration-match", "2"], "metageneration"),
      ] {
        let outcome = try Shell.run(
          [MountedBucket.executable, "set"] + words + ["bucket/index.html", "cacheControl=a"], in: folder.outside)
        #expect(outcome.status == 1 && outcome.errors.contains("its \(word) is not"), "\(outcome)")
      }
      #expect(try folder.lines("dump", "bucket") == [])
      try folder.lines("set", "--if-metageneration-match", "1", "bucket/index.html", "cacheControl=a")
    }
  }

  @Test func whatIsWrongIsSaidWithWhatWouldBeRight() throws {
    try BucketFolder.with { folder in
      let object = "bucket/index.html"
      try folder.expectRefusal("set", object, "size=1", mentioning: ["size", "read-only"])
      try folder.expectRefusal("set", object, "contentType=jpeg", mentioning: ["contentType", "jpeg", "image/jpeg"])
      try folder.expectRefusal("set", object, "contentLanguage=", mentioning: ["contentLanguage", "empty"])
      try folder.expectRefusal("set", object, "colour=red", status: 2, mentioning: ["customMetadata.colour"])
      try folder.expectRefusal("set", object, status: 2)
      try folder.expectRefusal("set", "cacheControl=a", "contentType=a/b", status: 2, mentioning: ["PATH"])
      try folder.expectRefusal("set", "bucket/images", "cacheControl=a", mentioning: ["folders", "custom metadata"])
      try folder.expectRefusal("set", "bucket/missing", "cacheControl=a", mentioning: ["bucket/missing"])
      try folder.expectRefusal("set", "--include", "*", object, "cacheControl=a", status: 2, mentioning: ["-R"])
      #expect(try folder.lines("dump", "bucket") == [])
    }
  }

  @Test func noBucketIsBegunInsideAnother() throws {
    try BucketFolder.with { folder in
      try (folder.bucket / ".bucketfs").removeFolder()
      try folder.expectRefusal("set", "bucket/images/a.js", "cacheControl=a", mentioning: ["--bucket-dir"])
      try folder.lines("set", "--bucket-dir", "bucket", "bucket/images/a.js", "cacheControl=a")
      #expect(try folder.lines("stat", "bucket/images/a.js").contains { $0.hasSuffix(" images/a.js") })
      #expect(!(folder.bucket / "images/.bucketfs").exists)
    }
  }

  @Test func aMountAndItsDirectoryAreChangedAlike() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f.html").write("x")
      for (place, value) in [(bucket.mountpoint, "a"), (bucket.backing, "b")] {
        let words = ["set", "f.html", "cacheControl=\(value)", "customMetadata.k=\(value)"]
        let outcome = try Shell.run([MountedBucket.executable] + words, in: place)
        #expect(outcome.isClean, "\(outcome)")
        #expect(try (bucket / "f.html").attribute("cacheControl") == value)
        #expect(try (bucket / "f.html").attribute("k") == value)
      }
      #expect(try (bucket / "f.html").attribute("metageneration") == "3")
      let refused = try Shell.run(
        [MountedBucket.executable, "set", "--if-generation-match", "1", "f.html", "cacheControl=c"],
        in: bucket.mountpoint)
      #expect(refused.status == 1 && refused.errors.contains("generation"), "\(refused)")
      #expect(try (bucket / "f.html").attribute("cacheControl") == "b")
    }
  }
}
