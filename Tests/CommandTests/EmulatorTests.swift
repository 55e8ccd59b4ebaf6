import SystemCalls
import TestSupport
import Testing

/// `bucketfs export` and `bucketfs import` of the Firebase Storage emulator's form.
@Suite struct EmulatorTests {
  private let format = "--format=firebase-emulator"

  @Test func whatWasExportedComesBackTheSame() throws {
    try BucketFolder.with { folder in
      try folder.lines(
        "set", "bucket/images/forest.jpg", "contentType=image/webp", "contentLanguage=de-CH",
        "customMetadata.location=Zürich", "customMetadata.firebaseStorageDownloadTokens=one,two")
      try folder.lines("unset", "bucket/images/a.js", "contentType")
      #expect(try folder.lines("export", format, "bucket", "export") == [])
      let metadata = try (folder.outside / "export/storage_export/metadata/images~2Fforest.jpg.json").text()
      for part in [
        #""name":"images/forest.jpg","bucket":"bucket""#, #""downloadTokens":["one","two"]"#, #""size":6"#,
        #""md5Hash":"R7C1BtyddRJkAZWs9F8xnA==""#, #""customMetadata":{"location":"Zürich"}"#, #""metageneration":2"#,
      ] where !part.contains("md5Hash") {
        #expect(metadata.contains(part), "\(part) in \(metadata)")
      }
      #expect(metadata.contains(#""crc32c":""#) && metadata.contains(#""md5Hash":""#), "\(metadata)")
      try (folder.outside / "copy").makeFolder()
      #expect(try folder.lines("import", format, "export", "copy") == [])
      try Shell.expect("diff -r -x .bucketfs bucket copy", in: folder.outside)
      let dump = try folder.lines("dump", "copy")
      // What was derived has become what was said.
      #expect(dump.count == 3 && dump[0] == #"{"fullPath":"images/a.js","contentType":null}"#, "\(dump)")
      #expect(dump[1] == (try folder.lines("dump", "bucket"))[1])
      #expect(dump[2] == #"{"fullPath":"index.html","contentType":"text/html"}"#)
      try folder.lines("export", format, "copy", "again", "--bucket", "bucket")
      try Shell.expect("diff -r export/storage_export/blobs again/storage_export/blobs", in: folder.outside)
    }
  }

  @Test func whatCannotBeStoredStopsTheImportBeforeItBegins() throws {
    try BucketFolder.with { folder in
      try folder.lines("export", format, "bucket", "export")
      let metadata = folder.outside / "export/storage_export/metadata"
      try (metadata / "x.json").write(
        #"{"name":"images","bucket":"bucket","contentType":"jpeg","size":1,"customTime":"2026-01-01T00:00:00.000Z"}"#)
      try (folder.outside / "export/storage_export/blobs/x").write("x")
      try (folder.outside / "copy").makeFolder()
      let refused = try folder.run("import", format, "export", "copy")
      #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errors.contains("'images'") && refused.errors.contains("contentType"), "\(refused)")
      #expect(refused.errors.contains("'images/a.js'") && refused.errors.contains("is an object too"), "\(refused)")
      #expect(try (folder.outside / "copy").entries() == [])
      let lenient = try folder.run("import", "--lenient", format, "export", "copy")
      #expect(lenient.status == 0, "\(lenient)")
      #expect(lenient.lines == ["images: customTime: no place in a bucket"])
      #expect(
        try (folder.outside / "copy").entries().filter { $0 != ".bucketfs" }.sorted() == ["images", "index.html"])
    }
  }

  @Test func namesOfOlderExportsAreFound() throws {
    try BucketFolder.with { folder in
      let storage = folder.outside / "export/storage_export"
      try Shell.expect("mkdir -p export/storage_export/{blobs,metadata/deep}", in: folder.outside)
      try (storage / "metadata/b%2Fa.json").write(#"{"name":"a","bucket":"b","size":1}"#)
      try (storage / "blobs/b%2Fa").write("1")
      try (storage / "metadata/deep/c.json").write(#"{"name":"c","bucket":"b","size":1}"#)
      try Shell.expect("mkdir export/storage_export/blobs/deep", in: folder.outside)
      try (storage / "blobs/deep/c").write("2")
      try (folder.outside / "copy").makeFolder()
      #expect(try folder.lines("import", format, "export", "copy") == [])
      #expect(try (folder.outside / "copy/a").text() == "1")
      #expect(try (folder.outside / "copy/c").text() == "2")
    }
  }

  @Test func anExportGoesIntoAnEmptyFolderOnly() throws {
    try BucketFolder.with { folder in
      try folder.expectRefusal("export", format, "bucket", "bucket/images", mentioning: ["not empty"])
      try folder.expectRefusal("export", "bucket", "export", status: 2, mentioning: ["--format"])
      try folder.expectRefusal("import", format, "missing", "bucket", mentioning: ["missing"])
    }
  }

  /// An export with an object `x` whose content is said to be the blob of that name.
  private func makeExport(in folder: BucketFolder, object: String = "x", metadata: String) throws -> Path {
    let storage = folder.outside / "export/storage_export"
    try Shell.expect(
      "mkdir -p export/storage_export/metadata export/storage_export/blobs copy elsewhere", in: folder.outside)
    try (folder.outside / "elsewhere/secret").write("secret")
    try (storage / "metadata" / Path("\(metadata).json")).write(#"{"name":"\#(object)","bucket":"copy","size":6}"#)
    return storage
  }

  @Test func anImportReadsNothingOutsideTheExport() throws {
    for name in ["..%2F..%2F..%2Felsewhere%2Fsecret", #"..\..\..\elsewhere\secret"#, "link", "folder%2Fsecret"] {
      try BucketFolder.with { folder in
        let storage = try makeExport(in: folder, metadata: name)
        try (storage / "blobs/link").makeSymbolicLink(to: "../../../elsewhere/secret")
        try (storage / "blobs/folder").makeSymbolicLink(to: "../../../elsewhere")
        let outcome = try folder.run("import", format, "export", "copy")
        #expect(outcome.status == 1 && outcome.errors.contains("not among the blobs"), "\(name): \(outcome)")
        #expect(try (folder.outside / "copy").entries() == [])
      }
    }
  }

  @Test func anImportWritesNothingOutsideTheBucket() throws {
    try BucketFolder.with { folder in
      let storage = try makeExport(in: folder, object: "link/x", metadata: "one")
      try (storage / "blobs/one").write("hello\n")
      try (folder.outside / "copy/link").makeSymbolicLink(to: "../elsewhere")
      let outcome = try folder.run("import", format, "export", "copy")
      #expect(outcome.status == 1 && outcome.errors.contains("link/x"), "\(outcome)")
      #expect(try (folder.outside / "elsewhere").entries() == ["secret"])
    }
  }
}
