import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport
import Testing

@Suite("A digest as an xattr")
struct DigestViewTests {
  private let own = Documented.writable[0].1
  private let hello = "XrY7u+Ae7tCTyyK7j1rNww=="

  @Test("is computed once for a content, and its size is known without")
  func computed() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      #expect(try object.attributeSize("md5Hash") == 24)
      #expect(object.deferrals == 1)
      let before = try object.path.status()
      var buffer = [UInt8](repeating: 0, count: 24)
      #expect(try object.getAttribute(Array("user.md5Hash".utf8), into: &buffer) == 24)
      #expect(String(decoding: buffer, as: UTF8.self) == hello)
      #expect(object.deferrals == 2)
      #expect(try object.attribute("md5Hash") == hello)
      #expect(object.deferrals == 2)
      #expect(try object.path.status() == before)
      #expect(try object.path.attributeNames() == [])
      // The daemon's own writes of metadata aside.
      try object.set("location", "here")
      try object.remove("location")
      try object.set("bucketfs.update", #"{"contentType":"a/b"}"#)
      #expect(try object.attribute("md5Hash") == hello)
      #expect(object.deferrals == 2)
      try object.path.append("!")
      #expect(try object.attribute("md5Hash") == object.path.digest())
      #expect(object.deferrals == 4)
      // What a writer stores may not be seen in the times yet.
      object.reference.content = .openForWriting
      _ = try object.attribute("md5Hash")
      #expect(object.deferrals == 6)
    }
  }

  @Test("that was set is kept until the content changes")
  func stored() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      try object.set("md5Hash", own)
      #expect(try object.attribute("md5Hash") == own)
      try object.path.changeMode(0o600)
      try object.set("location", "here")
      #expect(try object.attribute("md5Hash") == own)
      #expect(try object.attributeNames() == ["user.location", "user.md5Hash"])
      try object.path.append("more")
      #expect(try object.attributeNames() == ["user.location"])
      #expect(throws: Errno.noData) { try object.remove("md5Hash") }
      #expect(throws: Errno.noData) { try object.set("md5Hash", own, flags: AttributeFlags.replace) }
      try object.set("location", "there")
      #expect(try object.attributeNames() == ["user.location"])
      try object.set("md5Hash", own, flags: AttributeFlags.create)
      try object.remove("md5Hash")
      #expect(try object.attribute("md5Hash") == object.path.digest())
    }
  }

  @Test("that was set on an empty file is kept through its first content")
  func provisional() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f", "")
      object.reference.content = .openForWriting
      try object.set("md5Hash", own)
      try object.path.write("first ")
      #expect(try object.attribute("md5Hash") == own)
      try object.set("location", "here")
      try object.path.append("content")
      #expect(try object.attribute("md5Hash") == own)
      #expect(try object.attributeNames() == ["user.location", "user.md5Hash"])
      object.reference.content = .closed
      bucket.store.finishWriting(object.reference.file, above: 0)
      #expect(try object.attribute("md5Hash") == own)
      object.reference.content = .openForWriting
      try object.path.append("more")
      #expect(try object.attribute("md5Hash") == object.path.digest())
      #expect(try object.attributeNames() == ["user.location"])
    }
  }

  @Test("must be the content's on request")
  func verified() throws {
    var options = XattrOptions()
    options.verifyMD5 = true
    try ViewFixture.with(options) { bucket in
      let object = try bucket.make("f")
      for content in [ContentState.closed, .openForWriting] {
        object.reference.content = content
        #expect(throws: Errno.badMessage) { try object.set("md5Hash", own) }
        #expect(throws: Errno.badMessage) { try object.set("bucketfs.update", "{\"md5Hash\":\"\(own)\"}") }
        #expect(try object.attributeNames() == [])
        try object.set("md5Hash", hello)
        try object.remove("md5Hash")
        try object.set("bucketfs.update", "{\"md5Hash\":\"\(hello)\"}")
        try object.set("bucketfs.update", "{\"md5Hash\":null}")
      }
      // Of another content it is no proof.
      let digest = try object.digest()
      try object.path.append("!")
      let (name, value) = (Array("user.md5Hash".utf8), Array(hello.utf8))
      #expect(try object.view.set(name.span, to: value.span, [], of: object.reference, digest: digest) == .needsDigest)
      let empty = try bucket.make("empty", "")
      try empty.set("md5Hash", own)
    }
  }

  @Test("has no say over a file that may not be read")
  func unreadable() throws {
    try ViewFixture.with { bucket in
      let folder = try bucket.makeFolder("d")
      #expect(throws: HashError.notRegular) {
        try bucket.view.reader.hasher.digest(of: folder.reference.file, content: .closed)
      }
    }
  }
}

extension Path {
  /// The base64 of the content's MD5, by OpenSSL's own program.
  func digest() throws -> String {
    try Shell.expect("openssl md5 -binary \(quoted) | base64")
  }
}
