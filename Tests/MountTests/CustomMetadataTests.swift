import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Custom metadata in its forms, byte for byte.
@Suite struct CustomMetadataTests {
  @Test(arguments: Access.allCases) func anEntryHasTwoNamesAndIsListedOnce(access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      let file = try access.reach(bucket / "f")
      try file.set("location", "here")
      #expect(try file.attribute("customMetadata.location") == "here")
      try file.set("customMetadata.location", "there")
      #expect(try file.attribute("location") == "there")
      #expect(try file.attributeNames() == ["user.location"])
      #expect(throws: Errno.fileExists) {
        try file.set("customMetadata.location", "x", flags: AttributeFlags.create)
      }
      try file.remove("customMetadata.location")
      #expect(throws: Errno.noData) { try file.attribute("location") }
      #expect(throws: Errno.noData) { try file.set("location", "x", flags: AttributeFlags.replace) }
      #expect(throws: Errno.noData) { try file.remove("location") }
      #expect(throws: Errno.invalidArgument) { try file.set("location", "x", flags: AttributeFlags.both) }
    }
  }

  @Test func aKeyWithoutAPlainNameIsListedInTheLongForm() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      let keys = ["size", "contentType", "bucketfs", "bucketfs.json", "customMetadata", "customMetadata.a"]
      for key in keys { try file.set("customMetadata.\(key)", "of \(key)") }
      #expect(try file.attributeNames() == keys.map { "user.customMetadata.\($0)" }.sorted())
      for key in keys { #expect(try file.attribute("customMetadata.\(key)") == "of \(key)") }
      #expect(try file.attribute("size") == "1")
    }
  }

  @Test func keysAndValuesAreUTF8ByteForByte() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.set("café", "Zürich ✓ %41")
      #expect(try file.attributeBytes(Array("user.café".utf8)) == Array("Zürich ✓ %41".utf8))
      // Composed and decomposed accents are two keys.
      try file.set("cafe\u{301}", "decomposed")
      #expect(try file.attributeNames().count == 2)
      #expect(try Array(file.attribute("café").utf8) == Array("Zürich ✓ %41".utf8))
    }
  }

  @Test func bytesThatAreNoTextComeBackAsTheyWere() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      let name = Array("user.".utf8) + [0xff, 0xfe]
      try file.setAttribute(name, [0x00, 0xff], flags: 0)
      try file.set("text", "t")
      #expect(try file.attributeBytes(name) == [0x00, 0xff])
      // Not part of what JSON can say, and left alone by it.
      #expect(try file.attribute("customMetadata") == #"{"text":"t"}"#)
      try file.remove("customMetadata")
      #expect(throws: Errno.noData) { try file.attribute("text") }
      #expect(try file.attributeBytes(name) == [0x00, 0xff])
      try file.removeAttribute(name)
      #expect(try file.attributeNames() == [])
    }
  }

  @Test func theDictionaryIsReadAndReplacedWhole() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.set("location", "Yosemite, CA, USA")
      try file.set("activity", "Hiking")
      #expect(try file.attribute("customMetadata") == #"{"activity":"Hiking","location":"Yosemite, CA, USA"}"#)
      let metageneration = try file.attribute("metageneration")
      try file.set("customMetadata", #" { "size" : "large" , "a" : "\u00e9\n" } "#)
      #expect(try file.attributeNames() == ["user.a", "user.customMetadata.size"])
      #expect(try file.attribute("a") == "é\n")
      #expect(try Int(file.attribute("metageneration")) == Int(metageneration)! + 1)
      #expect(throws: Errno.fileExists) { try file.set("customMetadata", "{}", flags: AttributeFlags.create) }
      try file.set("customMetadata", "{}")
      #expect(throws: Errno.noData) { try file.attribute("customMetadata") }
    }
  }

  @Test(arguments: [
    "", "null", "[]", #""text""#, "{", #"{"a":1}"#, #"{"a":null}"#, #"{"a":{"b":"c"}}"#, #"{"a":"1","a":"2"}"#,
    #"{"":"x"}"#, #"{"a":"\u0000"}"#, #"{"a\u0000":"b"}"#, #"{"a":"\ud800"}"#, #"{"a":"b"} x"#, #"{"a":"b",}"#,
  ])
  func anythingButAnObjectOfStringsIsInvalid(json: String) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.set("kept", "yes")
      #expect(throws: Errno.invalidArgument) { try file.set("customMetadata", json) }
      #expect(try file.attribute("customMetadata") == #"{"kept":"yes"}"#)
      #expect(try file.attribute("metageneration") == "2")
    }
  }

  @Test func aValueStaysWhatItWasWhileOtherRequestsPass() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      let file = try OpenFile(bucket / "f", O_RDWR)
      let value = String(repeating: "0123456789", count: 20)
      try file.set("value", value)
      try Shell.expect("head -c 50M /dev/zero > \((bucket / "other").quoted)")
      #expect(try file.attribute("value") == value)
      try file.close()
      try bucket.remount()
      #expect(try (bucket / "f").attribute("value") == value)
    }
  }
}
