import BucketStorage
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Metadata that is remembered while the object stays as it is.
@Suite(.serialized) struct KnownMetadataTests {
  private func metadata(of reference: StorageReference) throws -> StorageMetadata {
    try waited { reference.getMetadata(completion: $0) }
  }

  /// Asks until it is remembered: the first time the digest is computed.
  private func know(_ reference: StorageReference) throws {
    _ = try metadata(of: reference)
    if !System.hasDistinctChangeTimes { Thread.sleep(forTimeInterval: 2.1) }
    _ = try metadata(of: reference)
  }

  @Test func isReadOnceAndAgainAfterAChange() throws {
    try BackingFileSystem.tmpfs.with { root in
      let ref = try StorageFixture(at: root).make("a/f")
      try know(ref)
      let before = try metadata(of: ref)
      FaultPlan.set(FaultPlan.Fault(call: .getxattr, count: .max, errno: .ioError))
      defer { FaultPlan.set(nil) }
      let known = try metadata(of: ref)
      #expect(known == before)
      #expect(known.storageReference == ref)
      try (root / "a/f").set("k", "v")
      let error: StorageError? = waitedFailure { ref.getMetadata(completion: $0) }
      #expect(error?.code == .unknown)
      FaultPlan.set(nil)
      #expect(try metadata(of: ref).customMetadata == ["k": "v"])
    }
  }

  @Test(arguments: BackingFileSystem.allCases) func whatOthersChangeShowsAtOnce(kind: BackingFileSystem) throws {
    try kind.with { root in try change(in: root) }
  }

  @Test func whatOthersChangeShowsAtOnceWhereTimesAreWholeSeconds() throws {
    try BackingFileSystem.ext4.with(makeOptions: ["-I", "128"]) { root in try change(in: root) }
  }

  /// Changes an object over and over, as fast as it goes, and asks after each.
  private func change(in root: Path) throws {
    let ref = try StorageFixture(at: root).make("f")
    let file = root / "f"
    for step in 0..<150 {
      try file.set("k", "\(step % 10)")
      #expect(try metadata(of: ref).customMetadata == ["k": "\(step % 10)"])
      try file.write("\(step % 7) of seven")
      let digest = try Shell.expect("openssl md5 -binary f | base64", in: root)
      #expect(try metadata(of: ref).md5Hash == digest.trimmingCharacters(in: .newlines))
      _ = try metadata(of: ref)
    }
  }

  @Test func isThatOfWhatHasTheNameNow() throws {
    try BackingFileSystem.tmpfs.with { root in
      let fixture = StorageFixture(at: root)
      let ref = try fixture.make("f.txt")
      let other = try fixture.make("other", "other content")
      try (root / "other").set("k", "v")
      try know(ref)
      try know(other)
      try (root / "other").rename(to: root / "f.txt")
      let moved = try metadata(of: ref)
      #expect(moved.name == "f.txt")
      #expect(moved.contentType == "text/plain")
      #expect(moved.size == 13)
      #expect(moved.customMetadata == ["k": "v"])
      let gone: StorageError? = waitedFailure { other.getMetadata(completion: $0) }
      #expect(gone?.code == .objectNotFound)

      try know(ref)
      try Shell.expect("mv f.txt target; ln -s target f.txt", in: root)
      let link: StorageError? = waitedFailure { ref.getMetadata(completion: $0) }
      #expect(link?.code == .objectNotFound)

      try (root / "target").link(to: root / "second.html")
      let (first, second) = (fixture.root.child("target"), fixture.root.child("second.html"))
      try know(first)
      try know(second)
      #expect(try metadata(of: first).contentType == "application/octet-stream")
      #expect(try metadata(of: second).contentType == "text/html")
    }
  }
}
