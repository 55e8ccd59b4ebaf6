import SystemCalls
import TestSupport
import Testing

/// `bucketfs dump` and `bucketfs apply`.
@Suite struct DumpTests {
  private func furnish(_ folder: BucketFolder) throws {
    try folder.lines("set", "bucket/images/forest.jpg", "cacheControl=no-store", "customMetadata.location=Zürich")
    try folder.lines("unset", "bucket/index.html", "contentType")
    try folder.lines("set", "bucket/images", "customMetadata.folder=yes")
    let key = String(repeating: "k", count: 300)
    try folder.lines("set", "bucket/images/a.js", "customMetadata.\(key)=long", "customMetadata.size=1")
    try (folder.bucket / "images/a.js").setAttribute(Array("user.".utf8) + [0xff], [0, 1], flags: 0)
  }

  private var expected: [String] {
    let key = String(repeating: "k", count: 300)
    return [
      #"{"fullPath":"images","customMetadata":{"folder":"yes"}}"#,
      #"{"fullPath":"images/a.js","customMetadata":{"\#(key)":"long","size":"1"},"customMetadataHex":{"ff":"0001"}}"#,
      #"{"fullPath":"images/forest.jpg","cacheControl":"no-store","customMetadata":{"location":"Zürich"}}"#,
      #"{"fullPath":"index.html","contentType":null}"#,
    ]
  }

  @Test func aDumpHoldsAllThatIsStoredAndNothingElse() throws {
    try BucketFolder.with { folder in
      #expect(try folder.lines("dump", "bucket") == [])
      try furnish(folder)
      #expect(try folder.lines("dump", "bucket") == expected)
      #expect(try folder.lines("dump", "bucket/images/forest.jpg") == [expected[2]])
    }
  }

  @Test func applyRestoresExactlyWhatWasDumped() throws {
    try BucketFolder.with { folder in
      try furnish(folder)
      let dump = expected.joined(separator: "\n")
      try folder.lines("set", "bucket/index.html", "contentType=a/b")
      try folder.lines("unset", "bucket/images/a.js", "customMetadata")
      let differences = try folder.lines("apply", "--dry-run", "bucket", input: dump)
      #expect(differences.last == #"index.html: contentType: "a/b" -> "(removed)""#, "\(differences)")
      #expect(try folder.lines("apply", "bucket", input: dump) == differences)
      #expect(try folder.lines("dump", "bucket") == expected)
      let before = try folder.lines("stat", "--json", "bucket/index.html")
      #expect(try folder.lines("apply", "bucket", input: dump) == [], "a second time changes nothing")
      #expect(try folder.lines("stat", "--json", "bucket/index.html") == before)
      #expect(try folder.lines("apply", "--delete", "bucket", input: "").count == 7)
      #expect(try folder.lines("dump", "bucket") == [])
    }
  }

  @Test func nothingIsChangedWhereALineIsWrong() throws {
    try BucketFolder.with { folder in
      let good = #"{"fullPath":"index.html","cacheControl":"a"}"#
      for line in [
        "{", "[]", #"{"cacheControl":"a"}"#, #"{"fullPath":"index.html","size":"1"}"#,
        #"{"fullPath":"index.html","contentType":"x"}"#, #"{"fullPath":"a","customMetadata":{"":"x"}}"#, good,
      ] {
        let outcome = try folder.run("apply", "bucket", input: "\(good)\n\(line)\n")
        #expect(outcome.status == 1 && outcome.errors.contains("line 2"), "\(line): \(outcome)")
      }
      #expect(try folder.lines("dump", "bucket") == [])
    }
  }

  @Test func anObjectThatIsMissingIsSaidAndTheRestApplied() throws {
    try BucketFolder.with { folder in
      let input = #"{"fullPath":"gone","cacheControl":"a"}"# + "\n" + #"{"fullPath":"index.html","cacheControl":"a"}"#
      let outcome = try folder.run("apply", "bucket", input: input)
      #expect(outcome.status == 1 && outcome.errors.contains("'gone'"), "\(outcome)")
      #expect(try folder.lines("dump", "bucket") == [#"{"fullPath":"index.html","cacheControl":"a"}"#])
    }
  }

  @Test func aMountIsDumpedLikeItsDirectory() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f.html").write("x")
      try (bucket / "g").write("x")
      try (bucket / "f.html").set("cacheControl", "a")
      try (bucket / "f.html").set("customMetadata.size", "1")
      try (bucket / "g").remove("contentType")
      let dumps = try [bucket.mountpoint, bucket.backing].map { place in
        try Shell.run([MountedBucket.executable, "dump", "."], in: place).lines
      }
      #expect(
        dumps[0] == [
          #"{"fullPath":"f.html","cacheControl":"a","customMetadata":{"size":"1"}}"#,
          #"{"fullPath":"g","contentType":null}"#,
        ])
      #expect(dumps[0] == dumps[1])
    }
  }
}
