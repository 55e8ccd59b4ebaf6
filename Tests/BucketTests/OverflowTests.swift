import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("Overflow")
struct OverflowTests {
  private func overflowFiles(_ bucket: TestBucket) throws -> [String] {
    try (bucket.path / ".bucketfs").entries().filter { $0 != "lock" }
  }

  @Test(
    "keeps 8,192 bytes of custom metadata and all properties on every filesystem",
    arguments: [BackingFileSystem.ext4, .xfs, .btrfs, .tmpfs])
  func everywhere(_ kind: BackingFileSystem) throws {
    try kind.with { root in
      let bucket = try TestBucket(at: root)
      let object = try bucket.make("a")
      try object.change { record in
        record = Sample.large.withVersion(of: record)
        for property in StoredProperty.allCases where property != .md5Hash {
          record[property] = .value(Array(repeating: UInt8(ascii: "v"), count: 4096))
        }
      }
      #expect(try object.record()?.customTotal == 8192)
      #expect(try object.record()?.value(.contentLanguage)?.count == 4096)
      #expect(try overflowFiles(bucket).isEmpty == (kind == .xfs || kind == .tmpfs))
      // A pin does not write the file anew.
      let files = try overflowFiles(bucket)
      object.store.pin(object.descriptor, above: try object.version().generation, content: .closed)
      #expect(try overflowFiles(bucket) == files)
      #expect(try object.record()?.customTotal == 8192)
      #expect(try object.path.text() == "hello world")
    }
  }

  @Test("files are named by the SHA-256 of their content, and shared")
  func named() throws {
    try TestBucket.with { bucket in
      for name in ["a", "b"] as [Path] {
        try bucket.make(name).change { $0 = Sample.large.withVersion(of: $0) }
      }
      let files = try overflowFiles(bucket)
      try #require(files.count == 1)
      let outcome = try Shell.run(["sha256sum", (bucket.path / ".bucketfs" / Path(files[0])).description])
      #expect("\(outcome)".contains(files[0]))
      #expect(try (bucket.path / ".bucketfs" / Path(files[0])).status().mode & 0o222 == 0)
    }
  }

  @Test("goes back into the xattr when the record is small again")
  func shrinks() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.change { $0 = Sample.large.withVersion(of: $0) }
      try object.change { $0.custom = [] }
      #expect(try object.record()?.holdsVersionOnly == true)
      #expect(try object.plain("user.bucketfs")!.count <= 64)
    }
  }

  @Test("travels with a copy inside the bucket, and reads as an error in another one")
  func copies() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.change { $0 = Sample.large.withVersion(of: $0) }
      _ = try Shell.run(["cp", "-a", object.path.description, (bucket.path / "b").description])
      #expect(try bucket.object("b").record()?.custom == Sample.large.custom)
      try TestBucket.with { other in
        _ = try Shell.run(["cp", "-a", object.path.description, (other.path / "c").description])
        let copy = try other.object("c")
        #expect(throws: StoreError.missingOverflow) { try copy.record() }
        #expect(throws: ChangeError<Never>.self) { try copy.set("k", "v") }
      }
    }
  }

  @Test(
    "files that are not what their name says are refused", arguments: ["cut", "altered", "symlink", "fifo", "huge"])
  func forged(_ fault: String) throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.change { $0 = Sample.large.withVersion(of: $0) }
      let file = bucket.path / ".bucketfs" / Path(try overflowFiles(bucket)[0])
      let content = try file.read()
      try file.unlink()
      switch fault {
      case "cut": try file.write(bytes: Array(content.dropLast()))
      case "altered": try file.write(bytes: [content[0]] + content.dropFirst(2) + [0])
      case "symlink":
        try (bucket.path / "target").write(bytes: content)
        try file.makeSymbolicLink(to: "../target")
      case "fifo": try file.makeFIFO()
      default: try file.write(bytes: Array(repeating: 0, count: 70_000))
      }
      #expect(throws: StoreError.damagedOverflow) { try object.record() }
    }
  }

  @Test("leaves the old record and no file where the filesystem is full")
  func full() throws {
    try BackingFileSystem.ext4.with(megabytes: 16, makeOptions: ["-O", "^has_journal"]) { root in
      let bucket = try TestBucket(at: root)
      let object = try bucket.make("a")
      try object.set("k", "v")
      _ = try Shell.run(["dd", "if=/dev/zero", "of=\(root)/filler", "bs=4k"])
      #expect(throws: ChangeError<Never>.self) {
        try object.change { $0 = Sample.large.withVersion(of: $0) }
      }
      #expect(try object.value("k") == "v")
      #expect(try overflowFiles(bucket) == [])
      #expect(try object.path.text() == "hello world")
    }
  }
}
