import Foundation
import SystemCalls
import TestSupport
import Testing

/// `user.bucketfs.json` and `user.bucketfs.update`: all properties at once.
@Suite struct ManyAtOnceTests {
  private func object(_ file: Path) throws -> [String: Any] {
    let value = try file.attributeBytes(Array("user.bucketfs.json".utf8))
    return try #require(JSONSerialization.jsonObject(with: Data(value)) as? [String: Any])
  }

  @Test func allPropertiesAreOneObject() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "page.html"
      try file.write("12345")
      try file.set("cacheControl", "no-store")
      try file.set("location", "here")
      let json = try object(file)
      let texts = [
        "bucket", "fullPath", "name", "generation", "metageneration", "timeCreated", "updated", "contentType",
        "cacheControl",
      ]
      for property in texts where property != "metageneration" {
        #expect(try json[property] as? String == file.attribute(property), "\(property)")
      }
      #expect("\(try #require(json["size"]))" == "5")
      #expect("\(try #require(json["metageneration"]))" == "3")
      #expect(json["customMetadata"] as? [String: String] == ["location": "here"])
      // Unset, or to be computed first.
      #expect(json["contentLanguage"] == nil)
      #expect(json["md5Hash"] == nil)
      try file.set("md5Hash", "AAECAwQFBgcICQoLDA0ODw==")
      #expect(try object(file)["md5Hash"] as? String == "AAECAwQFBgcICQoLDA0ODw==")
      try file.remove("contentType")
      #expect(try object(file)["contentType"] == nil)
    }
  }

  @Test func bytesOfANameThatAreNotUTF8AreShownAsReplaced() throws {
    try MountedBucket.with { bucket in
      let file = bucket.mountpoint / Path(bytes: [0x61, 0xff, 0x62])
      try file.write("x")
      #expect(try object(file)["name"] as? String == "a\u{fffd}b")
      #expect(try file.attributeBytes(Array("user.name".utf8)) == [0x61, 0xff, 0x62])
    }
  }

  @Test func anUpdateIsOneChange() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.set("location", "here")
      try file.set("activity", "Hiking")
      try file.set("contentLanguage", "en")
      try file.set(
        "bucketfs.update",
        #"{"cacheControl":"no-store","contentLanguage":null,"customMetadata":{"activity":null,"size":"large"}}"#)
      #expect(try file.attribute("cacheControl") == "no-store")
      #expect(try file.attributeIfSet("contentLanguage") == nil)
      #expect(try file.attribute("customMetadata") == #"{"location":"here","size":"large"}"#)
      #expect(try file.attribute("metageneration") == "5")
      try file.set("bucketfs.update", #"{"customMetadata":null}"#)
      #expect(try file.attributeIfSet("customMetadata") == nil)
      try file.set("bucketfs.update", #"{"contentType":null}"#)
      #expect(try file.attributeIfSet("contentType") == nil)
    }
  }

  @Test func anUpdateHoldsOnlyUnderItsConditions() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      let generation = try file.attribute("generation")
      let patches = [
        #"{"cacheControl":"a","ifGenerationMatch":"\#(generation)"}"#,
        #"{"cacheControl":"b","ifGenerationMatch":\#(generation)}"#,
        #"{"cacheControl":"c","ifMetagenerationMatch":3}"#,
        #"{"cacheControl":"d","ifMetagenerationMatch":"4","ifGenerationMatch":"\#(generation)"}"#,
      ]
      for patch in patches { try file.set("bucketfs.update", patch) }
      #expect(try file.attribute("cacheControl") == "d")
      for condition in [#""ifGenerationMatch":"1""#, #""ifMetagenerationMatch":4"#] {
        #expect(throws: Errno.canceled) { try file.set("bucketfs.update", #"{"cacheControl":"x",\#(condition)}"#) }
      }
      #expect(try file.attribute("cacheControl") == "d")
      #expect(try file.attribute("metageneration") == "5")
    }
  }

  @Test(
    arguments: [
      ("{", Errno.invalidArgument),
      ("[]", .invalidArgument),
      (#"{"unknown":"x"}"#, .invalidArgument),
      (#"{"cacheControl":1}"#, .invalidArgument),
      (#"{"cacheControl":"a","cacheControl":"b"}"#, .invalidArgument),
      (#"{"customMetadata":{"a":1}}"#, .invalidArgument),
      (#"{"size":"1"}"#, .notPermitted),
      (#"{"generation":null}"#, .notPermitted),
      (#"{"cacheControl":""}"#, .invalidArgument),
      // The order in which they are found: members, read-only properties, values, conditions.
      (#"{"unknown":"x","size":"1"}"#, .invalidArgument),
      (#"{"size":"1","contentType":"none"}"#, .notPermitted),
      (#"{"contentType":"none","ifGenerationMatch":"1"}"#, .invalidArgument),
      (#"{"cacheControl":"x","ifGenerationMatch":"one"}"#, .invalidArgument),
    ] as [(String, Errno)])
  func anUpdateIsRefusedWhole(patch: String, errno: Errno) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.set("cacheControl", "kept")
      #expect(throws: errno) { try file.set("bucketfs.update", patch) }
      #expect(try file.attributes() == ["user.cacheControl": Array("kept".utf8)])
      #expect(try file.attribute("metageneration") == "2")
    }
  }

  @Test func anUpdateTakesNoFlags() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      for flags in 1...AttributeFlags.both {
        #expect(throws: Errno.invalidArgument) {
          try file.set("bucketfs.update", #"{"cacheControl":"x"}"#, flags: flags)
        }
      }
    }
  }
}
