import SystemCalls
import TestSupport
import Testing

/// What a value may be, at each limit and one above it.
@Suite struct ValueTests {
  @Test(arguments: Expected.writable.keys.sorted())
  func aFixedPropertyIsTextWithoutControlCharacters(property: String) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      let valid = try #require(Expected.writable[property])
      try file.set(property, valid)
      for value in [Array("".utf8), [0], [0x1f], [0x7f], Array("\(valid)\n".utf8), [0xff], Array(valid.utf8) + [0xc3]] {
        #expect(throws: Errno.invalidArgument, "\(value)") {
          try file.setAttribute(Array("user.\(property)".utf8), value, flags: 0)
        }
      }
      #expect(try file.attribute(property) == valid)
      #expect(try file.attribute("metageneration") == "2")
    }
  }

  @Test(arguments: ["cacheControl", "contentDisposition", "contentType", "contentEncoding"])
  func aFixedPropertyHasUpTo4096Bytes(property: String) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      let start = property == "contentType" ? "text/" : ""
      let longest = start + String(repeating: "a", count: 4096 - start.utf8.count)
      try file.set(property, longest)
      #expect(try file.attribute(property) == longest)
      #expect(throws: Errno.argumentListTooLong) { try file.set(property, longest + "a") }
      #expect(try file.attribute(property) == longest)
    }
  }

  @Test(
    arguments: [
      (
        "contentType", ["text/html; charset=utf-8", #"text/plain; a="b;c""#, "application/vnd.api+json", "a/b"],
        [
          "text", "text/", "/html", "text html/plain", "text/html; charset=", "text/html, text/plain",
        ]
      ),
      ("contentEncoding", ["gzip", "gzip, br", "gzip,br"], ["gzip br", "gz/ip", ",", "gzip,,br"]),
      ("contentLanguage", ["en", "de-CH", "en, de-CH", "zh-Hant-TW"], ["en_US", "en de", "-en", "en-", "abcdefghi"]),
      (
        "md5Hash", ["1B2M2Y8AsgTpgAmY7PhCfg=="],
        [
          "1B2M2Y8AsgTpgAmY7PhCfg=", "1B2M2Y8AsgTpgAmY7PhCfg", "1B2M2Y8AsgTpgAmY7PhCfgAA",
          "d41d8cd98f00b204e9800998ecf8427e",
          "1B2M2Y8AsgTpgAmY7PhC g==", "1B2M2Y8AsgTpgAmY7PhCfh==x",
        ]
      ),
      ("cacheControl", ["no-store", "public, max-age=31536000, immutable", "é ✓"], []),
      ("contentDisposition", ["inline", "attachment; filename*=UTF-8''na%C3%AFve.txt"], []),
    ] as [(String, [String], [String])])
  func aFixedPropertyHasItsForm(property: String, valid: [String], invalid: [String]) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      for value in valid {
        try file.set(property, value)
        #expect(try file.attribute(property) == value)
      }
      for value in invalid {
        #expect(throws: Errno.invalidArgument, "\(value)") { try file.set(property, value) }
      }
      #expect(try file.attribute(property) == valid.last)
    }
  }

  @Test func aContentLanguageHasUpTo100Characters() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      // 32 tags of two letters with their commas are 95 characters.
      let long = Array(repeating: "en", count: 32).joined(separator: ",")
      try file.set("contentLanguage", long + ",abcd")
      #expect(throws: Errno.argumentListTooLong) { try file.set("contentLanguage", long + ",abcde") }
    }
  }

  @Test func aCustomValueHasUpTo4096BytesOfAnyKind() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      for value in ["", "0x41", "line\nline", String(repeating: "v", count: 4096)] {
        try file.set("key", value)
        #expect(try file.attribute("key") == value)
      }
      #expect(throws: Errno.argumentListTooLong) { try file.set("key", String(repeating: "v", count: 4097)) }
      #expect(try file.attribute("key").utf8.count == 4096)
    }
  }

  @Test func aKeyReachesAsFarAsItsForm() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      let plain = String(repeating: "k", count: 250)
      try file.set(plain, "1")
      #expect(try file.attribute(plain) == "1")
      let long = "customMetadata." + String(repeating: "l", count: 235)
      try file.set(long, "2")
      #expect(try file.attribute(long) == "2")
      let longest = String(repeating: "j", count: 1024)
      try file.set("bucketfs.update", #"{"customMetadata":{"\#(longest)":"3"}}"#)
      #expect(try file.attribute("customMetadata").contains(#""\#(longest)":"3""#))
      #expect(throws: Errno.argumentListTooLong) {
        try file.set("bucketfs.update", #"{"customMetadata":{"j\#(longest)":"3"}}"#)
      }
    }
  }

  @Test func anObjectHas8192BytesOfCustomMetadata() throws {
    try MountedBucket.with(on: .ext4) { bucket in
      let file = bucket / "f"
      try file.write("the content")
      for number in 1...8 { try file.set("k\(number)", String(repeating: "v", count: 1000)) }
      // 8,016 bytes so far.
      try file.set("fill", String(repeating: "v", count: 172))
      #expect(throws: Errno.noSpace) { try file.set("fill", String(repeating: "v", count: 173)) }
      #expect(throws: Errno.noSpace) { try file.set("m", "") }
      #expect(throws: Errno.noSpace) {
        try file.set("bucketfs.update", #"{"customMetadata":{"m":"1"},"cacheControl":"no-store"}"#)
      }
      #expect(try file.attributeIfSet("cacheControl") == nil)
      // Fixed properties have their own room.
      try file.set("contentDisposition", String(repeating: "d", count: 4096))
      #expect(try file.text() == "the content")
      try bucket.remount()
      for number in 1...8 { #expect(try file.attribute("k\(number)").utf8.count == 1000) }
      #expect(try file.attribute("fill").utf8.count == 172)
      #expect(try file.attribute("contentDisposition").utf8.count == 4096)
    }
  }
}
