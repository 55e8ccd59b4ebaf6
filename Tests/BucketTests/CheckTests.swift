import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("Check")
struct CheckTests {
  /// What `check` finds, as `name: problem`, sorted.
  private func findings(_ bucket: TestBucket, repair: Bool = false) throws -> [BucketFinding] {
    var found: [BucketFinding] = []
    try BucketCheck.run(bucket.store, repair: repair) { found.append($0) }
    return found
  }

  private func overflow(_ bucket: TestBucket, _ name: Path) throws {
    try bucket.make(name).change { $0 = Sample.large.withVersion(of: $0) }
  }

  private func age(_ bucket: TestBucket) throws {
    for name in try (bucket.path / ".bucketfs").entries() {
      try (bucket.path / ".bucketfs" / Path(name)).setTimes(1_000_000_000)
    }
  }

  @Test("finds nothing in a bucket that is as it should be, and changes nothing")
  func clean() throws {
    try TestBucket.with { bucket in
      try (bucket.path / "folder").makeFolder()
      try bucket.make("folder/a").set("k", "v")
      try overflow(bucket, "b")
      try bucket.object("folder").set("k", "v")
      try (bucket.path / "link").makeSymbolicLink(to: "nowhere")
      try (bucket.path / "pipe").makeFIFO()
      #expect(try findings(bucket) == [])
      try age(bucket)
      #expect(try findings(bucket, repair: true) == [])
      #expect(try bucket.object("b").record()?.custom == Sample.large.custom)
    }
  }

  @Test("finds damaged and newer records and missing overflow files, and leaves them")
  func damage() throws {
    try TestBucket.with { bucket in
      try bucket.make("a").setPlain("user.bucketfs", "garbage")
      try bucket.make("b").setPlain("user.bucketfs", bytes: [0xa2, 0, 2, 0, 0, 0, 0, 0, 0, 0])
      try overflow(bucket, "c")
      for name in try (bucket.path / ".bucketfs").entries() where name != "lock" {
        try (bucket.path / ".bucketfs" / Path(name)).unlink()
      }
      for repair in [false, true] {
        let found = try findings(bucket, repair: repair)
        #expect(found.map(\.problem) == [.record(.damagedRecord), .record(.newerRecord), .record(.missingOverflow)])
        #expect(found.map { String(decoding: $0.name, as: UTF8.self) } == ["a", "b", "c"])
        #expect(found.allSatisfy { $0.isFault })
      }
    }
  }

  @Test("removes an overflow file only if it repairs, nothing refers to it, and it is an hour old")
  func unreferenced() throws {
    try TestBucket.with { bucket in
      try overflow(bucket, "a")
      try (bucket.path / "a").unlink()
      let found = try findings(bucket)
      #expect(found.map(\.problem) == [.unreferenced])
      #expect(!found[0].isFault)
      #expect(try findings(bucket, repair: true).map(\.isRepaired) == [false])
      try age(bucket)
      #expect(try findings(bucket).map(\.isRepaired) == [false])
      #expect(try findings(bucket, repair: true).map(\.isRepaired) == [true])
      #expect(try findings(bucket) == [])
      #expect(try (bucket.path / ".bucketfs").entries() == ["lock"])
    }
  }

  @Test("tells what a killed write has left from what bucketfs never made")
  func leftOver() throws {
    try TestBucket.with { bucket in
      try bucket.make("a").set("k", "v")
      try (bucket.path / ".bucketfs" / Path(String(repeating: "a", count: 64) + ".1.1")).write("x")
      try (bucket.path / ".bucketfs/notes").write("x")
      #expect(try findings(bucket).map(\.problem) == [.leftOver, .foreign])
      try age(bucket)
      #expect(try findings(bucket, repair: true).map(\.isRepaired) == [false, true])
      #expect(try (bucket.path / ".bucketfs").entries() == ["lock", "notes"])
    }
  }

  @Test("names plain xattrs that are not taken in, entries over the limits, and what Cloud Storage refuses")
  func notes() throws {
    try BackingFileSystem.tmpfs.with { root in
      let bucket = try TestBucket(at: root)
      let object = try bucket.make("a")
      try object.setPlain("user.comment", "hello")
      try object.setPlain("user.long", String(repeating: "x", count: 5000))
      try object.setPlain("user.two words", "v")
      #expect(
        try findings(bucket).map(\.problem) == [
          .notTakenIn([Array("user.comment".utf8), Array("user.two words".utf8)]),
          .overLimits(keys: [Array("long".utf8)]), .refusedKeys([Array("two words".utf8)]),
        ])
      try object.path.unlink()
      _ = try bucket.make(Path(bytes: [0xff]))
      _ = try bucket.make("new\nline")
      #expect(try findings(bucket).map(\.problem) == [.refusedName, .refusedName])
    }
  }
}

@Suite("Eject")
struct EjectTests {
  private func losses(_ bucket: TestBucket) throws -> [BucketEject.Loss.Reason] {
    var found: [BucketEject.Loss.Reason] = []
    try BucketEject.run(bucket.store) { found.append($0.reason) }
    return found
  }

  @Test("writes all metadata back as plain xattrs and leaves nothing of its own")
  func all() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set(.contentType, "image/jpeg")
      try object.set(.md5Hash, "XrY7u+Ae7tCTyyK7j1rNww==")
      try object.set("location", "Yosemite, CA, USA")
      try object.set("size", "XL")
      try object.setPlain("user.location", "shadowed")
      try (bucket.path / "folder").makeFolder()
      try bucket.object("folder").set("k", "v")
      #expect(try losses(bucket) == [])
      #expect(try object.plainNames() == ["user.contentType", "user.location", "user.md5Hash", "user.size"])
      #expect(try object.value("location") == "Yosemite, CA, USA")
      #expect(try object.value("size") == "XL")
      #expect(try bucket.object("folder").plainNames() == ["user.k"])
      #expect(try bucket.path.entries() == ["a", "folder"])
      #expect(try losses(bucket) == [])
    }
  }

  @Test("gives plain xattrs the room that the record had")
  func room() throws {
    try BackingFileSystem.ext4.with(makeOptions: ["-b", "4096"]) { root in
      let bucket = try TestBucket(at: root)
      let object = try bucket.make("a")
      for part in 0..<3 { try object.set("part-\(part)", String(repeating: "x", count: 1100)) }
      #expect(try (root / ".bucketfs").entries() == ["lock"])
      #expect(try losses(bucket) == [])
      for part in 0..<3 { #expect(try object.plain("user.part-\(part)")?.count == 1100) }
    }
  }

  @Test("names what no plain xattr can be")
  func lost() throws {
    try BackingFileSystem.ext4.with(makeOptions: ["-b", "4096"]) { root in
      let bucket = try TestBucket(at: root)
      let object = try bucket.make("a")
      try object.change {
        $0[.contentType] = .removed
        $0.setCustom(CustomEntry(key: Array("cacheControl".utf8), value: [1]))
        $0.setCustom(CustomEntry(key: Array(repeating: UInt8(ascii: "k"), count: 300), value: [1]))
        for part in 0..<4 {
          $0.setCustom(CustomEntry(key: [UInt8(ascii: "0") + UInt8(part)], value: Array(repeating: 1, count: 1500)))
        }
      }
      try bucket.make("b").setPlain("user.bucketfs", "garbage")
      #expect(
        try losses(bucket) == [
          .removedType, .entry(key: [UInt8(ascii: "2")], .noSpace), .entry(key: [UInt8(ascii: "3")], .noSpace),
          .entry(key: Array("cacheControl".utf8), .invalidArgument),
          .entry(key: Array(repeating: UInt8(ascii: "k"), count: 300), .outOfRange), .record(.damagedRecord),
        ])
      #expect(try object.plainNames() == ["user.0", "user.1"])
      #expect(try root.entries() == ["a", "b", "lost+found"])
    }
  }
}
