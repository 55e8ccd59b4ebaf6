import SystemCalls
import TestSupport
import Testing

/// `bucketfs ls` and `bucketfs find`.
@Suite struct FindTests {
  @Test func listingIsInTheOrderOfBytes() throws {
    try BucketFolder.with { folder in
      #expect(try folder.lines("ls", "bucket") == ["images/", "index.html"])
      #expect(
        try folder.lines("ls", "-R", "bucket")
          == ["bucket/images/", "bucket/images/a.js", "bucket/images/forest.jpg", "bucket/index.html"])
      let long = try folder.lines("ls", "-l", "bucket/images/forest.jpg")
      #expect(long.first?.wholeMatch(of: /6  \d{4}-.*Z  image\/jpeg  bucket\/images\/forest.jpg/) != nil, "\(long)")
      let json = try folder.lines("ls", "--json", "bucket/images")
      #expect(json == (try folder.lines("stat", "--json", "bucket/images/a.js", "bucket/images/forest.jpg")))
    }
  }

  @Test func expressionsAreAboutEveryProperty() throws {
    try BucketFolder.with { folder in
      try folder.lines(
        "set", "bucket/index.html", "cacheControl=public,max-age=300", "customMetadata.location=Yosemite, CA")
      let (forest, script, index) = ("bucket/images/forest.jpg", "bucket/images/a.js", "bucket/index.html")
      for (expression, expected) in [
        ([], [script, forest, index]),
        (["contentType=image/*"], [forest]),
        (["contentType!=image/*"], [script, index]),
        (["size>6"], [script, index]),
        (["size>=6", "and", "size<0K", "or", "size=6"], [forest]),
        (["size<1K", "size>9"], [script, index]),
        (["customMetadata.location~Yo.*, CA$"], [index]),
        (["not", "customMetadata.location"], [script, forest]),
        (["!", "(", "name=*.js", "or", "name=*.html", ")"], [forest]),
        (["cacheControl"], [index]),
        (["cacheControl!=x"], [script, forest, index]),
        (["metageneration>1"], [index]),
        (["updated<2026-01-01"], []),
        (["updated>2001-01-01T00:00"], [script, forest, index]),
        (["fullPath=images/*"], [script, forest]),
        (["bucket=bucket", "md5Hash=T7brpeglWklJ6MbkPAjdFw=="], []),
      ] as [([String], [String])] {
        let outcome = try Shell.run(
          [MountedBucket.executable, "find", "bucket"] + expression, in: folder.outside)
        #expect(outcome.isClean && outcome.lines == expected, "\(expression): \(outcome)")
      }
    }
  }

  @Test func namesOfAnyBytesArePassedOn() throws {
    try BucketFolder.with { folder in
      let name = Array("images/new\nline ".utf8) + [0xff]
      try (folder.bucket / Path(bytes: name)).write("x")
      let outcome = try folder.run("find", "-0", "bucket/images", "size=1")
      #expect(outcome.output == Array("bucket/".utf8) + name + [0])
    }
  }

  @Test func mistakesInAnExpressionAreUsage() throws {
    try BucketFolder.with { folder in
      for expression in [
        ["colour=red"], ["(", "size"], ["size>many"], ["updated<yesterday"], ["size", "or"], [")"], ["not"], ["name~("],
      ] {
        let outcome = try Shell.run([MountedBucket.executable, "find", "bucket"] + expression, in: folder.outside)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(expression): \(outcome)")
      }
    }
  }

  @Test func aMountIsSearchedLikeItsDirectory() throws {
    try MountedBucket.with { bucket in
      try (bucket / "d").makeFolder()
      try (bucket / "d/a.jpg").write("x")
      try (bucket / "d/b.txt").write("x")
      try (bucket / "d/b.txt").set("customMetadata.size", "big")
      for place in [bucket.mountpoint, bucket.backing] {
        for (expression, expected) in [("contentType=image/*", "d/a.jpg"), ("customMetadata.size=big", "d/b.txt")] {
          let outcome = try Shell.run([MountedBucket.executable, "find", "d", expression], in: place)
          #expect(outcome.isClean && outcome.lines == [expected], "\(outcome)")
        }
      }
    }
  }

  @Test func anExpressionThatIsNestedTooDeeplyIsRefused() throws {
    try BucketFolder.with { folder in
      for word in ["not", "("] {
        let words = [MountedBucket.executable, "find", "bucket"] + [String](repeating: word, count: 100_000) + ["size"]
        let outcome = try Shell.run(words, in: folder.outside)
        #expect(outcome.status == 2 && outcome.errors.contains("nested too deeply"), "\(outcome)")
      }
    }
  }
}
