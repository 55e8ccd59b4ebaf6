import BucketStorage
import Foundation
import TestSupport
import Testing

/// The rule of update: only what was assigned changes.
@Suite struct UpdateTests {
  @Test func customEntriesAreSetMissingOnesDeletedAndOthersStay() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let first = StorageMetadata()
      first.customMetadata = ["a": "1", "b": "2"]
      let read = try await ref.updateMetadata(first)

      let other = StorageMetadata()
      other.customMetadata = ["c": "3"]
      let merged = try await ref.updateMetadata(other)
      #expect(merged.customMetadata == ["a": "1", "b": "2", "c": "3"])

      // Read before "c" was there.
      read.customMetadata?["a"] = nil
      read.customMetadata?["b"] = "4"
      let changed = try await ref.updateMetadata(read)
      #expect(changed.customMetadata == ["b": "4", "c": "3"])

      let none = StorageMetadata()
      none.customMetadata = nil
      let emptied = try await ref.updateMetadata(none)
      #expect(emptied.customMetadata == nil)
      #expect(emptied.metageneration == 5)
    }
  }

  /// Closing any descriptor of a file drops the record locks that a process has on it, so that it is opened for its
  /// md5Hash alone.
  @Test func metadataIsReadAndChangedWithoutLosingTheLocksOfTheProcess() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      #expect(try await ref.getMetadata().md5Hash != nil)
      let file = try FileHandle(forUpdating: URL(filePath: "\(fixture.backing)/f"))
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      #expect(fcntl(file.fileDescriptor, F_SETLK, &lock) == 0)
      let change = StorageMetadata()
      change.cacheControl = "no-store"
      _ = try await ref.getMetadata()
      _ = try await ref.updateMetadata(change)
      _ = try await ref.getMetadata()
      let other = try Shell.run(
        ["python3", "-c", "import fcntl; fcntl.lockf(open('f', 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"],
        in: fixture.backing)
      #expect(other.status == 1 && other.errors.contains("BlockingIOError"), "\(other)")
      try file.close()
    }
  }

  @Test func changingWhatIsNotThereAssignsNothing() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let read = try await ref.getMetadata()
      let other = StorageMetadata()
      other.customMetadata = ["c": "3"]
      other.cacheControl = "no-store"
      try await ref.updateMetadata(other)
      // Swift writes nil back to an optional that it did not find.
      read.customMetadata?["a"] = "1"
      read.cacheControl?.append("x")
      let after = try await ref.updateMetadata(read)
      #expect(after.customMetadata == ["c": "3"])
      #expect(after.cacheControl == "no-store")
      #expect(after.metageneration == 2)
    }
  }

  @Test func anUpdateOfNothingChangesNothing() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let before = try Tree(fixture.backing)
      let after = try await ref.updateMetadata(try await ref.getMetadata())
      #expect(after.metageneration == 1)
      let changed = try Tree(fixture.backing).differences(from: before)
      #expect(changed.contains("f") == false)
    }
  }

  @Test func aHashComputedAgainFollowsADeletedOne() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let metadata = StorageMetadata()
      metadata.md5Hash = "AAAAAAAAAAAAAAAAAAAAAA=="
      let set = try await ref.updateMetadata(metadata)
      #expect(set.md5Hash == "AAAAAAAAAAAAAAAAAAAAAA==")
      metadata.md5Hash = nil
      let deleted = try await ref.updateMetadata(metadata)
      #expect(deleted.md5Hash == "XrY7u+Ae7tCTyyK7j1rNww==")
    }
  }

  @Test func aHundredTasksLoseNoUpdate() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      // Half of them with a bucket of their own, as another process has.
      let second = StorageFixture(at: fixture.backing).root.child("f")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            let metadata = StorageMetadata()
            metadata.customMetadata = ["key\(number)": "\(number)"]
            _ = try await (number % 2 == 0 ? ref : second).updateMetadata(metadata)
          }
        }
        try await group.waitForAll()
      }
      let metadata = try await ref.getMetadata()
      #expect(metadata.metageneration == 101)
      #expect(metadata.customMetadata?.count == 100)
    }
  }

  @Test func conditionsAreHeldAgainstTheObject() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      let updated = try await ref.updateMetadata(metadata, ifMetagenerationMatch: 1)
      #expect(updated.metageneration == 2)
      let late = await failure { try await ref.updateMetadata(metadata, ifMetagenerationMatch: 1) }
      #expect(late?.isFailedPrecondition == true)
      let wrong = await failure { try await ref.delete(ifGenerationMatch: updated.generation + 1) }
      #expect(wrong?.isFailedPrecondition == true)
      try await ref.delete(ifGenerationMatch: updated.generation)
      let gone = await failure { try await ref.getMetadata() }
      #expect(gone?.code == .objectNotFound)
    }
  }

  @Test func dictionariesGoThereAndBack() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("images/forest.jpg")
      let metadata = StorageMetadata()
      metadata.customMetadata = ["a": "1"]
      metadata.cacheControl = "no-store"
      let stored = try await ref.updateMetadata(metadata)
      let dictionary = stored.dictionaryRepresentation()
      #expect(dictionary["generation"] as? String == "\(stored.generation)")
      #expect(dictionary["size"] as? Int64 == 11)
      let created = dictionary["timeCreated"] as? String
      #expect(created?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
      let copy = StorageMetadata(dictionary: dictionary)
      #expect(copy.customMetadata == stored.customMetadata)
      #expect(copy.fullPath == stored.fullPath)
      let deleting = StorageMetadata(dictionary: ["cacheControl": NSNull(), "customMetadata": NSNull()])
      let after = try await ref.updateMetadata(deleting)
      #expect(after.cacheControl == nil)
      #expect(after.customMetadata == nil)
    }
  }
}
