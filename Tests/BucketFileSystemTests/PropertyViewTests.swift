import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport
import Testing

/// The property table as it is documented, written down a second time so that a change there shows here.
enum Documented {
  static let readOnly = [
    "bucket", "generation", "metageneration", "fullPath", "name", "size", "timeCreated", "updated",
  ]
  static let writable = [
    ("md5Hash", "AAECAwQFBgcICQoLDA0ODw=="), ("cacheControl", "public,max-age=300"),
    ("contentDisposition", "attachment; filename=\"summer.pdf\""), ("contentEncoding", "gzip, br"),
    ("contentLanguage", "en, de-CH"), ("contentType", "image/jpeg"),
  ]
}

@Suite("A property as an xattr")
struct PropertyViewTests {
  @Test("tells of the file")
  func reading() throws {
    try ViewFixture.with { bucket in
      try (bucket.directory / "images").makeFolder()
      let object = try bucket.make("images/forest.jpg", "12345")
      #expect(try object.attribute("bucket") == "bucket")
      #expect(try object.attribute("fullPath") == "images/forest.jpg")
      #expect(try object.attribute("name") == "forest.jpg")
      #expect(try object.attribute("size") == "5")
      #expect(try object.attribute("metageneration") == "1")
      let status = try System.status(of: object.reference.file)
      let generation = max(status.modified, status.born).microseconds
      #expect(try object.attribute("generation") == "\(generation)")
      let created = try object.attribute("timeCreated")
      #expect(created.count == 24)
      #expect(try object.attribute("updated") == created)
      #expect(try object.attribute("contentType") == "image/jpeg")
      #expect(try object.attribute("md5Hash") == "gnzLDuqKcGxMNKFokfhOew==")
      for property in ["cacheControl", "contentDisposition", "contentEncoding", "contentLanguage", "customMetadata"] {
        #expect(throws: Errno.noData) { try object.attribute(property) }
      }
      #expect(try object.attributeNames() == [])
    }
  }

  @Test("is refused where it is read-only, whatever the flags and the value", arguments: Documented.readOnly)
  func readOnly(_ property: String) throws {
    try ViewFixture.with { bucket in
      for object in [try bucket.make("f.txt"), try bucket.makeFolder("d"), try bucket.root()] {
        for flags in [0, 1, 2, 3] as [Int32] {
          for value in ["", "1", "nonsense \u{1}", "bucket"] {
            #expect(throws: Errno.notPermitted) { try object.set(property, value, flags: flags) }
          }
        }
        #expect(throws: Errno.notPermitted) { try object.remove(property) }
        #expect(try object.path.attributeNames() == [])
      }
    }
  }

  @Test("is set, replaced, listed and removed where it is writable", arguments: Documented.writable)
  func writable(_ property: String, _ value: String) throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("page.html")
      let before = try object.attributeIfSet(property)
      #expect(throws: Errno.noData) { try object.set(property, value, flags: AttributeFlags.replace) }
      #expect(throws: Errno.invalidArgument) { try object.set(property, value, flags: AttributeFlags.both) }
      try object.set(property, value, flags: AttributeFlags.create)
      #expect(try object.attribute(property) == value)
      #expect(try object.attributeSize(property) == value.utf8.count)
      #expect(try object.attributeNames() == ["user.\(property)"])
      #expect(throws: Errno.fileExists) { try object.set(property, value, flags: AttributeFlags.create) }
      #expect(throws: Errno.invalidArgument) { try object.set(property, value, flags: AttributeFlags.both) }
      #expect(throws: Errno.invalidArgument) { try object.set(property, "", flags: AttributeFlags.replace) }
      #expect(throws: Errno.argumentListTooLong) { try object.set(property, String(repeating: "a", count: 4097)) }
      try object.set(property, value, flags: AttributeFlags.replace)
      try object.set(property, value)
      #expect(try object.attribute("metageneration") == "4")
      try object.remove(property)
      #expect(try object.attributeNames() == [])
      #expect(try object.attributeIfSet(property) == (property == "contentType" ? nil : before))
      #expect(try object.attribute("metageneration") == "5")
      #expect(throws: Errno.noData) { try object.remove(property) }
      #expect(try object.attribute("metageneration") == "5")
    }
  }

  @Test("that was removed though it was only derived is absent until it is set again")
  func removedType() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("page.html")
      try object.remove("contentType")
      #expect(throws: Errno.noData) { try object.attribute("contentType") }
      #expect(throws: Errno.noData) { try object.remove("contentType") }
      #expect(throws: Errno.noData) { try object.set("contentType", "a/b", flags: AttributeFlags.replace) }
      #expect(try object.attributeNames() == [])
      // What another program sets behind bucketfs's back does not bring it back.
      try object.path.set("contentType", "x/y")
      #expect(throws: Errno.noData) { try object.attribute("contentType") }
      try object.set("contentType", "a/b", flags: AttributeFlags.create)
      #expect(try object.attribute("contentType") == "a/b")
      try object.set("bucketfs.update", #"{"contentType":null}"#)
      #expect(throws: Errno.noData) { try object.attribute("contentType") }
    }
  }

  @Test("follows the name, and is absent where no name is left")
  func names() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("a.html")
      object.name.path = Array("d/b.TAR.GZ".utf8)
      #expect(try object.attribute("contentType") == "application/gzip")
      #expect(try object.attribute("fullPath") == "d/b.TAR.GZ")
      object.name.path = [0x61, 0xff, 0x62]
      #expect(try object.attributeBytes(Array("user.name".utf8)) == [0x61, 0xff, 0x62])
      #expect(try object.attribute("contentType") == "application/octet-stream")
      #expect(try object.attribute("bucketfs.json").contains("\"name\":\"a\u{fffd}b\""))
      object.name.path = nil
      for property in ["name", "fullPath", "contentType"] {
        #expect(throws: Errno.noData) { try object.attribute(property) }
      }
      #expect(try object.attribute("size") == "11")
      #expect(try !object.attribute("bucketfs.json").contains("fullPath"))
    }
  }

  @Test("can be asked for under freedesktop.org's name of the content type, which is never listed")
  func freedesktopType() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("a.html")
      #expect(try object.attribute("mime_type") == "text/html")
      try object.set("mime_type", "image/png")
      #expect(try object.attribute("contentType") == "image/png")
      #expect(try object.attributeNames() == ["user.contentType"])
      try object.remove("mime_type")
      #expect(throws: Errno.noData) { try object.attribute("contentType") }
      // Set by another program on the backing file it is the content type too, behind that of the proper name.
      let other = try bucket.make("b.html")
      try other.path.set("mime_type", "x/plain")
      #expect(try other.attribute("contentType") == "x/plain")
      #expect(try other.attributeNames() == ["user.contentType"])
      try other.path.set("contentType", "x/proper")
      #expect(try other.attribute("contentType") == "x/proper")
      try other.set("a", "1")
      #expect(try other.attribute("contentType") == "x/proper")
      #expect(try other.path.attributeNames() == ["user.bucketfs"])
    }
  }

  @Test("is listed in whole on request, but for a digest that would have to be computed")
  func listAll() throws {
    var options = XattrOptions()
    options.list = .all
    try ViewFixture.with(options) { bucket in
      let object = try bucket.make("a.html")
      try object.set("location", "here")
      let expected = (Documented.readOnly + ["contentType", "location"]).map { "user.\($0)" }.sorted()
      #expect(try object.attributeNames() == expected)
      for name in try object.attributeNames() { _ = try object.attributeBytes(Array(name.utf8)) }
      #expect(object.deferrals == 0)
      try object.set("md5Hash", Documented.writable[0].1)
      try object.remove("contentType")
      #expect(
        try object.attributeNames() == (Documented.readOnly + ["md5Hash", "location"]).map { "user.\($0)" }.sorted())
      let folder = try bucket.makeFolder("d")
      #expect(try folder.attributeNames() == ["user.bucket", "user.fullPath", "user.name"])
    }
  }

  @Test("goes by the name of its HTTP header on request")
  func headerNames() throws {
    var options = XattrOptions()
    options.names = .headers
    try ViewFixture.with(options) { bucket in
      let object = try bucket.make("a.html")
      try object.set("content-type", "image/png")
      try object.set("cache-control", "no-store")
      try object.set("md5Hash", Documented.writable[0].1)
      try object.set("customMetadata.content-type", "mine")
      #expect(try object.attribute("contentType") == "image/png")
      #expect(try object.attribute("content-type") == "image/png")
      #expect(
        try object.attributeNames() == [
          "user.cache-control", "user.content-type", "user.customMetadata.content-type", "user.md5Hash",
        ])
      try object.remove("content-type")
      #expect(throws: Errno.noData) { try object.attribute("content-type") }
      #expect(throws: Errno.invalidArgument) { try object.set("content-encoding", "a b") }
    }
  }

  @Test("that a copy brings along under a read-only name is kept as an entry on request")
  func foreignKept() throws {
    var options = XattrOptions()
    options.foreign = .keep
    try ViewFixture.with(options) { bucket in
      let object = try bucket.make("a.html")
      try object.set("size", "foreign")
      #expect(try object.attribute("size") == "11")
      #expect(try object.attributeNames() == ["user.customMetadata.size"])
      #expect(try object.attribute("customMetadata.size") == "foreign")
      #expect(throws: Errno.notPermitted) { try object.remove("size") }
    }
  }
}
