import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport
import Testing

@Suite("What is refused as an xattr")
struct RefusalViewTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(
    "is a namespace that no object has",
    arguments: ["security.selinux", "trusted.x", "trusted.overlay.opaque", "other.x", "system.x", "x", ""])
  func namespaces(_ name: String) throws {
    try ViewFixture.with { bucket in
      try (bucket.directory / "s").makeSymbolicLink(to: "x")
      for object in [try bucket.make("f"), try bucket.root(), try bucket.open("s", kind: .other)] {
        #expect(throws: Errno.notSupported) { try object.attributeBytes(bytes(name)) }
        #expect(throws: Errno.notSupported) { try object.setAttribute(bytes(name), bytes("v"), flags: 0) }
        #expect(throws: Errno.notSupported) { try object.removeAttribute(bytes(name)) }
      }
    }
  }

  @Test("is any other security attribute, absent without a look at the backing file")
  func security() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      for name in ["security.capability", "security.ima", "security.other"] {
        #expect(throws: Errno.notSupported) { try object.setAttribute(bytes(name), bytes("v"), flags: 0) }
        #expect(throws: Errno.notSupported) { try object.removeAttribute(bytes(name)) }
        object.reference.file = Descriptor(rawValue: -1)
        #expect(throws: Errno.noData) { try object.attributeBytes(bytes(name)) }
      }
    }
  }

  @Test(
    "is bucketfs's own name", arguments: ["bucketfs", "bucketfs.", "bucketfs.x", "bucketfs.json", "bucketfs.status"])
  func own(_ name: String) throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      try object.set("a", "1")
      for flags in [0, 1, 2, 3] as [Int32] {
        #expect(throws: Errno.notPermitted) { try object.set(name, "{}", flags: flags) }
      }
      #expect(throws: Errno.notPermitted) { try object.remove(name) }
      if name != "bucketfs.json" {
        #expect(throws: Errno.noData) { try object.attribute(name) }
      }
      #expect(throws: Errno.noData) { try object.attribute("bucketfs.update") }
      #expect(throws: Errno.notPermitted) { try object.remove("bucketfs.update") }
      #expect(try object.attributeNames() == ["user.a"])
    }
  }

  @Test("is the status to all but root and the daemon's user, and to all but the root folder")
  func status() throws {
    try ViewFixture.with { bucket in
      let root = try bucket.root()
      #expect(try root.attribute("bucketfs.status") == "all well")
      root.user = 65534
      #expect(throws: Errno.permissionDenied) { try root.attribute("bucketfs.status") }
      root.user = System.effectiveUser
      #expect(try root.attribute("bucketfs.status") == "all well")
      #expect(throws: Errno.noData) { try bucket.makeFolder("d").attribute("bucketfs.status") }
      #expect(throws: Errno.notPermitted) { try root.set("bucketfs.status", "x") }
    }
  }

  @Test("is a property of a folder but three")
  func folders() throws {
    try ViewFixture.with { bucket in
      for folder in [try bucket.makeFolder("d"), try bucket.root()] {
        #expect(try folder.attribute("bucket") == "bucket")
        let path = folder.reference.kind == .rootFolder ? "" : "d"
        #expect(try folder.attribute("fullPath") == path)
        #expect(try folder.attribute("name") == path)
        for property in ["generation", "metageneration", "size", "timeCreated", "updated"] {
          #expect(throws: Errno.noData) { try folder.attribute(property) }
        }
        for (property, value) in Documented.writable {
          #expect(throws: Errno.noData) { try folder.attribute(property) }
          #expect(throws: Errno.notPermitted) { try folder.set(property, value) }
          #expect(throws: Errno.notPermitted) { try folder.set(property, "") }
          #expect(throws: Errno.notPermitted) { try folder.remove(property) }
          #expect(throws: Errno.notPermitted) { try folder.set("bucketfs.update", "{\"\(property)\":null}") }
        }
        try folder.path.set("contentType", "image/png")
        #expect(throws: Errno.noData) { try folder.attribute("contentType") }
        #expect(try folder.attributeNames() == [])
        try folder.set("bucketfs.update", #"{"customMetadata":{"a":"b"}}"#)
        #expect(throws: Errno.canceled) { try folder.set("bucketfs.update", #"{"ifGenerationMatch":1}"#) }
        #expect(
          try folder.attribute("bucketfs.json")
            == "{\"bucket\":\"bucket\",\"fullPath\":\"\(path)\",\"name\":\"\(path)\",\"customMetadata\":{\"a\":\"b\"}}")
      }
    }
  }

  @Test("is every xattr of a symlink, a FIFO and a socket")
  func others() throws {
    try ViewFixture.with { bucket in
      try (bucket.directory / "p").makeFIFO()
      try (bucket.directory / "s").makeSymbolicLink(to: "x")
      for name in ["p", "s"] {
        let object = try bucket.open(name, kind: .other)
        #expect(try object.attributeNames() == [])
        for property in Documented.readOnly + ["contentType", "a", "customMetadata", "bucketfs.json"] {
          #expect(throws: Errno.noData) { try object.attribute(property) }
          #expect(throws: Errno.notPermitted) { try object.set(property, "{}") }
          #expect(throws: Errno.notPermitted) { try object.remove(property) }
        }
        #expect(throws: Errno.notPermitted) { try object.set("bucketfs.update", "{}") }
      }
    }
  }

  @Test("is every change of a read-only bucket")
  func readOnlyBucket() throws {
    try ViewFixture.with { bucket in
      let path = try bucket.make("f.html").path
      try bucket.open("f.html").set("location", "here")
      try path.set("plain", "1")
      let attributes = try path.attributes()
      let times = try path.status()
      let readOnly = try ViewFixture(bucket.directory, readOnly: true)
      let object = try readOnly.open("f.html")
      for name in ["size", "contentType", "location", "customMetadata", "bucketfs.update", "bucketfs", ""] {
        #expect(throws: Errno.readOnlyFileSystem) { try object.set(name, "{}") }
        #expect(throws: Errno.readOnlyFileSystem) { try object.remove(name) }
      }
      #expect(throws: Errno.readOnlyFileSystem) { try object.setAttribute(bytes("trusted.x"), [], flags: 0) }
      #expect(try object.attribute("location") == "here")
      #expect(try object.attributeNames() == ["user.location", "user.plain"])
      #expect(try object.attribute("md5Hash") == "XrY7u+Ae7tCTyyK7j1rNww==")
      #expect(try path.attributes() == attributes)
      #expect(try path.status() == times)
    }
  }

  @Test("is the metadata of a damaged record, which stays", arguments: ["", "garbage", "\u{0}"])
  func damaged(_ garbage: String) throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("bad.html")
      try object.path.set("bucketfs", garbage)
      for (property, value) in [("bucket", "bucket"), ("fullPath", "bad.html"), ("name", "bad.html"), ("size", "11")] {
        #expect(try object.attribute(property) == value)
      }
      for name in [
        "generation", "metageneration", "timeCreated", "updated", "md5Hash", "cacheControl", "contentType", "location",
        "customMetadata", "bucketfs.json",
      ] {
        #expect(throws: Errno.ioError) { try object.attribute(name) }
      }
      #expect(throws: Errno.ioError) { try object.attributeNames() }
      #expect(throws: Errno.ioError) { try object.set("location", "x") }
      #expect(throws: Errno.ioError) { try object.set("contentType", "a/b") }
      #expect(throws: Errno.ioError) { try object.set("customMetadata", "{}") }
      #expect(throws: Errno.ioError) { try object.set("bucketfs.update", #"{"contentType":null}"#) }
      #expect(throws: Errno.ioError) { try object.remove("location") }
      #expect(throws: Errno.notPermitted) { try object.set("size", "1") }
      #expect(throws: Errno.invalidArgument) { try object.set("contentType", "") }
      #expect(try object.path.attribute("bucketfs") == garbage)
    }
  }
}
