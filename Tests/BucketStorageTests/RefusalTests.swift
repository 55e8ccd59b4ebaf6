import BucketStorage
import CTestSupport
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Errors that the system gives: permissions, full disks, used up shares, and callers who change their mind.
@Suite struct RefusalTests {
  @Test func aFullDiskLeavesNothingOfAnUpload() throws {
    try BackingFileSystem.ext4.with(megabytes: 8) { root in
      let fixture = StorageFixture(at: root)
      let data = Data(count: 20_000_000)
      let error: StorageError? = waitedFailure { fixture.root.child("new/f").putData(data, completion: $0) }
      guard case .quotaExceeded(let bucket, _)? = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(bucket == "example.appspot.com")
      #expect(try root.entries().contains("new") == false)
      #expect(try (root / ".bucketfs/tmp").entries() == [])
      let stored = try waited { fixture.root.child("new/f").putData(Data(count: 1000), completion: $0) }
      #expect(stored.size == 1000)
    }
  }

  @Test func aBucketThatMayNotBeWrittenIsUnauthorized() throws {
    try BackingFileSystem.ext4.with(megabytes: 16) { root in
      try (root / "f").write("x")
      try Shell.expect("mount -o remount,ro \(root.quoted)")
      let fixture = StorageFixture(at: root)
      let ref = fixture.root.child("f")
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      let errors: [StorageError?] = [
        waitedFailure { ref.updateMetadata(metadata, completion: $0) },
        waitedFailure { ref.putData(Data(), completion: $0) },
        waitedFailure { (done: @escaping @Sendable (Result<Void, any Error>) -> Void) in ref.delete(completion: done) },
      ]
      #expect(errors.map(\.?.code) == [.unauthorized, .unauthorized, .unauthorized])
      let read = try waited { ref.getMetadata(completion: $0) }
      #expect(read.size == 1)
    }
  }

  @Test func aUsedUpShareIsAnExceededQuota() throws {
    try BackingFileSystem.btrfs.with { root in
      try Shell.expect("btrfs quota enable .; btrfs subvolume create b >/dev/null; btrfs qgroup limit 4M b", in: root)
      let fixture = StorageFixture(at: root / "b")
      let ref = fixture.root.child("f")
      let error: StorageError? = waitedFailure { ref.putData(Data(count: 20_000_000), completion: $0) }
      #expect(error?.code == .quotaExceeded)
      #expect(try fixture.files() == [])
      let stored = try waited { ref.putData(Data(count: 1000), completion: $0) }
      #expect(stored.size == 1000)
    }
  }

  @Test func anUpdateForWhichTheDiskHasNoRoomChangesNothing() throws {
    try BackingFileSystem.ext4.with(megabytes: 8) { root in
      let fixture = StorageFixture(at: root)
      let ref = try fixture.make("f")
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      let before = try waited { ref.updateMetadata(metadata, completion: $0) }
      _ = try Shell.bash("head -c 100M /dev/zero >fill", in: root)
      // More than ext4 keeps with the file itself.
      metadata.customMetadata = ["a": String(repeating: "x", count: 4000), "b": String(repeating: "y", count: 4000)]
      let error: StorageError? = waitedFailure { ref.updateMetadata(metadata, completion: $0) }
      #expect(error?.code == .quotaExceeded)
      #expect(try waited { ref.getMetadata(completion: $0) } == before)
      try (root / "fill").unlink()
      let after = try waited { ref.updateMetadata(metadata, completion: $0) }
      #expect(after.customMetadata?.count == 2)
      #expect(after.metageneration == before.metageneration + 1)
    }
  }

  @Test func anOrdinaryUserIsUnauthorizedWhereTheModeSaysSo() async throws {
    try await StorageFixture.with { fixture in
      for name in ["secret", "readable", "closed/f", "own/f", "own/unread"] { _ = try fixture.make(name) }
      try Shell.expect(
        "chmod 600 secret; chmod 644 readable; chmod 700 closed; chmod 200 own/unread; chown -R 65534:65534 own; chmod 1777 .",
        in: fixture.backing)
      // The whole process is that user: the library has threads of its own.
      await #expect(processExitsWith: .success) { [place = fixture.backing.description as String] in
        try #require(setgroups(0, nil) == 0 && setgid(65534) == 0)
        try #require(setuid(65534) == 0)
        let root = StorageFixture(at: Path(place)).root
        let metadata = StorageMetadata()
        metadata.cacheControl = "no-store"
        for name in ["secret", "closed/f"] {
          let ref = root.child(name)
          let errors = await [
            failure { try await ref.getMetadata() }, failure { try await ref.updateMetadata(metadata) },
            failure { try await ref.data(maxSize: 100) }, failure { try await ref.putDataAsync(Data()) },
            failure { try await ref.delete() },
          ]
          for error in errors {
            guard case .unauthorized(let bucket, let object, _)? = error else {
              Issue.record("\(name): \(error as Any)")
              continue
            }
            #expect(bucket == "example.appspot.com")
            #expect(object == name)
          }
        }
        let list = await failure { try await root.child("closed").listAll() }
        #expect(list?.code == .unauthorized)
        let readable = root.child("readable")
        #expect(try await readable.getMetadata().size == 11)
        #expect(try await readable.data(maxSize: 100).count == 11)
        let update = await failure { try await readable.updateMetadata(metadata) }
        #expect(update?.code == .unauthorized)
        let upload = await failure { try await readable.putDataAsync(Data()) }
        #expect(upload?.code == .unauthorized)
        let own = root.child("own/f")
        #expect(try await own.updateMetadata(metadata).cacheControl == "no-store")
        #expect(try await own.putDataAsync(Data("x".utf8)).size == 1)
        try await own.delete()
        // What may not be read may still be deleted.
        let unread = await failure { try await root.child("own/unread").getMetadata() }
        #expect(unread?.code == .unauthorized)
        try await root.child("own/unread").delete()
      }
      #expect(try fixture.files() == ["closed/f", "readable", "secret"])
    }
  }

  @Test func whoStopsWaitingGetsCancelled() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      // Long enough that nobody reads it whole meanwhile, and without a block on the disk.
      try (fixture.backing / "f").truncate(to: 1 << 40)
      let target = URL(filePath: fixture.backing.sibling("target").description)
      let waiting: [@Sendable () async throws -> Void] = [
        { _ = try await ref.getMetadata() }, { _ = try await ref.data(maxSize: 1 << 41) },
        { _ = try await ref.writeAsync(toFile: target) },
        { _ = try await fixture.root.child("g").putFileAsync(from: URL(filePath: "\(fixture.backing)/f")) },
      ]
      for body in waiting {
        let task = Task { try await body() }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        let error = await failure { try await task.value }
        #expect(error == .cancelled)
      }
      #expect(try fixture.files() == ["f"])
      #expect(try fixture.backing.folder.entries() == ["bucket"])
    }
  }

  @Test func transfersThatWaitHoldUpNobody() async throws {
    try await StorageFixture.with { fixture in
      let data = Data(count: 3_000_000)
      let tasks = (0..<40).map { number in
        let task = fixture.root.child("paused/\(number)").putData(data)
        task.pause()
        return task
      }
      let start = ContinuousClock.now
      for number in 0..<10 {
        try await fixture.root.child("\(number)").putDataAsync(Data("x".utf8))
        _ = try await fixture.root.child("\(number)").getMetadata()
      }
      #expect(ContinuousClock.now - start < .seconds(3))
      for task in tasks { task.cancel() }
    }
  }
}
