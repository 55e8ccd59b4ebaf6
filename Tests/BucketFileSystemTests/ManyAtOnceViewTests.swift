import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport
import Testing

@Suite("Many properties in one xattr")
struct ManyAtOnceViewTests {
  @Test("are an object's JSON")
  func json() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("page.html", "12345")
      func expected(_ rest: String) throws -> String {
        let (generation, metageneration) = (try object.attribute("generation"), try object.attribute("metageneration"))
        let (created, updated) = (try object.attribute("timeCreated"), try object.attribute("updated"))
        return #"{"bucket":"bucket","generation":"\#(generation)","metageneration":"\#(metageneration)","#
          + #""fullPath":"page.html","name":"page.html","size":"5","timeCreated":"\#(created)","updated":"\#(updated)","#
          + rest
      }
      #expect(try object.attribute("bucketfs.json") == expected(#""contentType":"text/html"}"#))
      _ = try object.attribute("md5Hash")
      #expect(
        try object.attribute("bucketfs.json")
          == expected(#""md5Hash":"gnzLDuqKcGxMNKFokfhOew==","contentType":"text/html"}"#))
      try object.remove("contentType")
      try object.set("cacheControl", "no-store")
      try object.set("b", "2")
      try object.set("customMetadata.size", "\"")
      #expect(
        try object.attribute("bucketfs.json")
          == expected(
            #""md5Hash":"gnzLDuqKcGxMNKFokfhOew==","cacheControl":"no-store","customMetadata":{"b":"2","size":"\""}}"#))
      #expect(try object.attributeSize("bucketfs.json") == object.attribute("bucketfs.json").utf8.count)
      #expect(try !object.attributeNames().contains { $0.contains("bucketfs") })
    }
  }

  @Test("are updated in one step")
  func update() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      try object.set("location", "here")
      try object.set("contentLanguage", "en")
      let patch = #"{"cacheControl":"no-store","contentLanguage":null,"customMetadata":{"location":null,"size":"1"}}"#
      try object.set("bucketfs.update", patch)
      #expect(try object.attribute("metageneration") == "4")
      #expect(try object.attributeNames() == ["user.cacheControl", "user.customMetadata.size"])
      try object.set("bucketfs.update", #"{"customMetadata":null,"md5Hash":null}"#)
      #expect(try object.attributeNames() == ["user.cacheControl"])
      #expect(try object.attribute("metageneration") == "5")
    }
  }

  @Test("are updated only where the generation is the one asked for")
  func preconditions() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      let generation = try object.attribute("generation")
      try object.set("bucketfs.update", #"{"ifGenerationMatch":"\#(generation)","ifMetagenerationMatch":1}"#)
      // Asking is no change.
      #expect(try object.attribute("metageneration") == "1")
      #expect(try object.path.attributeNames() == [])
      try object.set("bucketfs.update", #"{"ifGenerationMatch":\#(generation),"cacheControl":"a"}"#)
      try object.set("bucketfs.update", #"{"ifMetagenerationMatch":"2","cacheControl":"b"}"#)
      for condition in [
        #""ifGenerationMatch":1"#, #""ifGenerationMatch":"\#(generation)0""#, #""ifMetagenerationMatch":2"#,
        #""ifMetagenerationMatch":0"#,
      ] {
        #expect(throws: Errno.canceled) { try object.set("bucketfs.update", "{\(condition)}") }
        #expect(throws: Errno.canceled) { try object.set("bucketfs.update", "{\(condition),\"cacheControl\":\"c\"}") }
        #expect(throws: Errno.invalidArgument) {
          try object.set("bucketfs.update", "{\(condition),\"contentType\":\"c\"}")
        }
      }
      #expect(try object.attribute("cacheControl") == "b")
      #expect(try object.attribute("metageneration") == "3")
      // The content is another one now, and the metageneration starts again.
      try object.path.append("more")
      #expect(throws: Errno.canceled) {
        try object.set("bucketfs.update", #"{"ifGenerationMatch":"\#(generation)","cacheControl":"d"}"#)
      }
      try object.set("bucketfs.update", #"{"ifMetagenerationMatch":1,"cacheControl":"e"}"#)
      #expect(try object.attribute("metageneration") == "2")
    }
  }

  @Test("take no flags", arguments: [1, 2, 3, 4] as [Int32])
  func flags(_ flags: Int32) throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      #expect(throws: Errno.invalidArgument) { try object.set("bucketfs.update", #"{"size":1}"#, flags: flags) }
    }
  }
}
