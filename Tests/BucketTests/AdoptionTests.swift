import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("Plain xattrs of other programs")
struct AdoptionTests {
  @Test("show as metadata where the name is free")
  func show() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set(.cacheControl, "no-store")
      try object.set("taken", "mine")
      try object.setPlain("user.contentType", "image/png")
      try object.setPlain("user.cacheControl", "public")
      try object.setPlain("user.taken", "theirs")
      try object.setPlain("user.xdg.origin.url", "https://example.org/")
      try object.setPlain("user.size", "XL")
      #expect(try object.value(.contentType) == "image/png")
      #expect(try object.value(.cacheControl) == "no-store")
      #expect(try object.value("taken") == "mine")
      #expect(try object.value("xdg.origin.url") == "https://example.org/")
      #expect(try object.value("size") == "XL")
      #expect(try visible(object) == ["cacheControl", "contentType", "size", "taken", "xdg.origin.url"])
      #expect(try object.value(.contentType) == "image/png")
    }
  }

  @Test("are ignored where the name stands for many entries, for the record, or for a digest")
  func ignored() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      let names = [
        "user.customMetadata", "user.customMetadata.k", "user.bucketfs.json", "user.bucketfs.x", "user.md5Hash",
      ]
      for name in names { try object.setPlain(name, "XUFAKrxLKna5cZ2REBfFkg==") }
      #expect(try object.metadata().holdsVersionOnly)
      #expect(try visible(object) == [])
      #expect(try object.value(.md5Hash) == nil)
      try object.set("k", "v")
      #expect(try object.plainNames() == (names + ["user.bucketfs"]).sorted())
    }
  }

  @Test("are taken in by the first change, and no sooner")
  func takenIn() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.setPlain("user.contentType", "image/png")
      try object.setPlain("user.comment", "hello")
      #expect(try object.version().metageneration == 1)
      try object.set("k", "v")
      #expect(try object.plainNames() == ["user.bucketfs"])
      #expect(try object.version().metageneration == 2)
      #expect(try object.value(.contentType) == "image/png")
      #expect(try object.value("comment") == "hello")
    }
  }

  @Test("with an invalid value read as unset and are left alone")
  func invalid() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.setPlain("user.contentType", "no type")
      #expect(try object.value(.contentType) == nil)
      #expect(try object.value(.contentType) == nil)
      try object.set("k", "v")
      #expect(try object.plainNames() == ["user.bucketfs", "user.contentType"])
      try object.set(.contentType, "image/png")
      try object.change { $0[.contentType] = .unset }
      #expect(try object.value(.contentType) == nil)
    }
  }

  @Test("over the limits show, count for nothing, are left alone, and can be removed")
  func overLimits() throws {
    // ext4 could not hold them.
    try BackingFileSystem.tmpfs.with { root in
      let bucket = try TestBucket(at: root)
      let object = try bucket.make("a")
      let long = String(repeating: "x", count: 5000)
      try object.setPlain("user.long", long)
      for index in 0..<3 { try object.setPlain("user.part\(index)", String(repeating: "y", count: 4000)) }
      #expect(try object.value("long") == long)
      #expect(try visible(object) == ["long", "part0", "part1", "part2"])
      try object.set("k", "v")
      #expect(try object.plainNames() == ["user.bucketfs", "user.long", "user.part2"])
      #expect(try object.value("part2") != nil)
      try object.remove("long")
      #expect(try object.value("long") == nil)
      try object.remove("part0")
      try object.set("k", "w")
      #expect(try object.plainNames() == ["user.bucketfs"])
      #expect(try object.record()?.custom.count == 3)
    }
  }

  @Test("that a change replaces or removes do not come back")
  func removed() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.setPlain("user.comment", "hello")
      try object.setPlain("user.contentType", "image/png")
      try object.remove("comment")
      #expect(try object.value("comment") == nil)
      #expect(try object.plainNames() == ["user.bucketfs"])
      #expect(try object.version().metageneration == 2)
      // Shadowed: set by another program while the record has it.
      try object.set("k", "mine")
      try object.setPlain("user.k", "theirs")
      #expect(try object.value("k") == "mine")
      try object.remove("k")
      #expect(try object.value("k") == nil)
      try object.setPlain("user.contentType", "image/gif")
      #expect(try object.value(.contentType) == "image/png")
      try object.change { $0[.contentType] = .removed }
      #expect(try object.value(.contentType) == nil)
      #expect(try object.plainNames() == ["user.bucketfs"])
    }
  }

  @Test("of fixed properties are nothing on a folder, others are its custom metadata")
  func folders() throws {
    try TestBucket.with { bucket in
      try (bucket.path / "folder").makeFolder()
      let folder = try bucket.object("folder")
      try folder.setPlain("user.contentType", "image/png")
      try folder.setPlain("user.comment", "hello")
      #expect(try visible(folder) == ["comment"])
      try folder.set("k", "v")
      #expect(try folder.plainNames() == ["user.bucketfs", "user.contentType"])
      #expect(try folder.record()?.custom.count == 2)
    }
  }

  @Test("by the name of freedesktop.org are the content type, unless that has its own")
  func freedesktop() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.setPlain("user.mime_type", "image/gif")
      #expect(try object.value(.contentType) == "image/gif")
      #expect(try visible(object) == ["contentType"])
      try object.setPlain("user.contentType", "image/png")
      #expect(try object.value(.contentType) == "image/png")
      #expect(try visible(object) == ["contentType"])
      try object.set("k", "v")
      #expect(try object.value(.contentType) == "image/png")
      #expect(try object.plainNames() == ["user.bucketfs"])
    }
  }

  /// The names of what shows, sorted.
  private func visible(_ object: Object) throws -> [String] {
    let record = try object.metadata()
    let properties = StoredProperty.allCases.filter { record.value($0) != nil }.map { "\($0)" }
    return (properties + (record.custom + record.unadopted).map { String(decoding: $0.key, as: UTF8.self) }).sorted()
  }
}
