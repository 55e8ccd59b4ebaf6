import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("The store")
struct StoreTests {
  @Test("starts with nothing and writes nothing until something is stored")
  func startsEmpty() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      #expect(try object.record() == nil)
      #expect(try object.metadata().holdsVersionOnly)
      #expect(try object.version().metageneration == 1)
      #expect(try bucket.path.entries() == ["a"])
    }
  }

  @Test("keeps what a change sets, in one xattr that travels with the file")
  func keeps() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set(.contentType, "image/jpeg")
      try object.set("location", "Yosemite, CA, USA")
      #expect(try object.value(.contentType) == "image/jpeg")
      #expect(try object.value("location") == "Yosemite, CA, USA")
      #expect(try object.plainNames() == ["user.bucketfs"])
      let again = try TestBucket(at: bucket.path).object("a")
      #expect(try again.value("location") == "Yosemite, CA, USA")
    }
  }

  @Test("counts each change once, the first as metageneration 2")
  func metageneration() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      let before = try object.version()
      for expected in 2...5 as ClosedRange<UInt64> {
        try object.set(.contentType, "image/jpeg")
        #expect(try object.version().metageneration == expected)
      }
      #expect(try object.version().generation == before.generation)
      try object.path.append("more")
      #expect(try object.version().metageneration == 1)
      #expect(try object.version().generation > before.generation)
      try object.set(.contentType, "image/png")
      #expect(try object.version().metageneration == 2)
    }
  }

  @Test("writes nothing where a change turns out to be none, or is refused")
  func noChange() throws {
    struct Refusal: Error {}
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.setPlain("user.foo", "bar")
      try object.store.change(object.descriptor, content: .closed) { (_, _) throws(Refusal) in false }
      #expect(throws: ChangeError<Refusal>.self) {
        try object.store.change(object.descriptor, content: .closed) { (_, _) throws(Refusal) in throw Refusal() }
      }
      #expect(try object.plainNames() == ["user.foo"])
    }
  }

  @Test("never writes what it would not read")
  func unreadable() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set("k", "v")
      #expect(throws: ChangeError<Never>.self) { try object.set(.contentType, "two\nlines") }
      #expect(throws: ChangeError<Never>.self) { try object.set("", "v") }
      #expect(throws: ChangeError<Never>.self) {
        try object.change { record in
          for index in 0..<9 {
            record.setCustom(CustomEntry(key: [UInt8(index)], value: Array(repeating: 7, count: 1000)))
          }
        }
      }
      #expect(try object.value("k") == "v")
      #expect(try object.version().metageneration == 2)
    }
  }

  @Test("makes its folder when first needed, for its owner alone")
  func folderIsPrivate() throws {
    try TestBucket.with { bucket in
      try bucket.make("a").set("k", "v")
      #expect(try (bucket.path / ".bucketfs").status().mode & 0o7777 == 0o700)
      #expect(try (bucket.path / ".bucketfs/lock").status().mode & 0o7777 == 0o600)
    }
  }

  @Test("opens its folder to whoever may write in the root folder", arguments: [0o770, 0o777, 0o1777] as [UInt32])
  func folderIsShared(_ mode: UInt32) throws {
    try TestBucket.with { bucket in
      try bucket.path.changeOwner(12, 34)
      try bucket.path.changeMode(mode)
      try bucket.make("a").set("k", "v")
      let folder = try (bucket.path / ".bucketfs").status()
      #expect(folder.mode & 0o7777 == mode)
      #expect((folder.owner, folder.group) == (12, 34))
      let lock = try (bucket.path / ".bucketfs/lock").status()
      #expect(lock.mode & 0o7777 == mode & 0o666)
      #expect((lock.owner, lock.group) == (12, 34))
    }
  }

  @Test("refuses every change of a read-only bucket and leaves no trace")
  func readOnly() throws {
    try TestBucket.with { bucket in
      _ = try bucket.make("a")
      let object = try TestBucket(at: bucket.path, readOnly: true).object("a")
      #expect(throws: ChangeError<Never>.self) { try object.set("k", "v") }
      object.store.pin(object.descriptor, above: .max / 4, content: .closed)
      #expect(try object.plainNames() == [])
      #expect(try bucket.path.entries() == ["a"])
    }
  }

  @Test("is found again when its folder is taken away while it is open")
  func folderTakenAway() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set("k", "1")
      _ = try Shell.run(["rm", "-rf", (bucket.path / ".bucketfs").description])
      try object.set("k", "2")
      #expect(try object.value("k") == "2")
      #expect((bucket.path / ".bucketfs/lock").exists)
      _ = try Shell.run(["rm", "-rf", (bucket.path / ".bucketfs").description])
      try object.change { $0 = Sample.large.withVersion(of: $0) }
      #expect(try object.record()?.custom == Sample.large.custom)
    }
  }

  @Test(
    "answers for a bad record and leaves it alone",
    arguments: [[], [1, 2, 3], [0xa2, 0, 2, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
  func badRecords(_ bytes: [UInt8]) throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.setPlain("user.bucketfs", bytes: bytes)
      let expected = bytes.first == 0xa2 ? StoreError.newerRecord : .damagedRecord
      #expect(throws: expected) { try object.record() }
      #expect(Errno(expected) == .ioError)
      #expect(throws: ChangeError<Never>.self) { try object.set("k", "v") }
      object.store.pin(object.descriptor, above: .max / 4, content: .closed)
      #expect(try object.plain("user.bucketfs") == bytes)
      try bucket.make("b").set("k", "v")
      #expect(try bucket.object("b").value("k") == "v")
    }
  }

  @Test("names a bucket after its directory, also by a symlink or a dot")
  func names() throws {
    try TestBucket.with { bucket in
      #expect(bucket.store.name == Array(bucket.path.lastComponent.utf8))
      try (bucket.path / "sub").makeFolder()
      let dotted = bucket.path / "sub/."
      #expect(try BucketStore.open(dotted.bytes.span).name == Array("sub".utf8))
      let given = Array("given".utf8)
      #expect(try BucketStore.open(dotted.bytes.span, name: given).name == given)
    }
  }

  @Test("refuses what is no directory, and a filesystem without user xattrs")
  func unusable() throws {
    try TestBucket.with { bucket in
      _ = try bucket.make("a")
      let file = bucket.path / "a"
      #expect(throws: BucketOpenError.notDirectory) { try BucketStore.open(file.bytes.span) }
      let missing = bucket.path / "b"
      #expect(throws: BucketOpenError.unopenable(.noSuchFileOrDirectory)) { try BucketStore.open(missing.bytes.span) }
      let proc = Path("/proc")
      #expect(throws: BucketOpenError.withoutXattrs(fileSystemType: 0x9fa0)) { try BucketStore.open(proc.bytes.span) }
      _ = try BucketStore.open(proc.bytes.span, readOnly: true)
    }
  }
}

extension Record {
  /// This record as the next one of the object that has `other`.
  func withVersion(of other: Record) -> Record {
    var copy = self
    copy.version = other.version
    return copy
  }
}
