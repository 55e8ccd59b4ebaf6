import BucketStorage
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Uploads: whole or not at all.
@Suite struct UploadTests {
  @Test func anUploadMakesItsFoldersAndHasItsMetadata() async throws {
    try await StorageFixture.with { fixture in
      let metadata = StorageMetadata()
      metadata.contentType = "text/x-log"
      metadata.customMetadata = ["a": "1"]
      let ref = fixture.root.child("a/b/c.txt")
      let stored = try await ref.putDataAsync(Data("hello world".utf8), metadata: metadata)
      #expect(stored.contentType == "text/x-log")
      #expect(stored.customMetadata == ["a": "1"])
      #expect(stored.md5Hash == "XrY7u+Ae7tCTyyK7j1rNww==")
      #expect(stored.metageneration == 1)
      let read = try await ref.getMetadata()
      #expect(read == stored)
      #expect(try (fixture.backing / "a/b/c.txt").text() == "hello world")
      let files = try fixture.files()
      #expect(files == ["a/b/c.txt"])
    }
  }

  @Test func anUploadReplacesAllMetadataAndGrowsTheGeneration() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f.txt", "old")
      try (fixture.backing / "f.txt").setTimes(4_000_000_000_000_000_000)
      let given = StorageMetadata()
      given.cacheControl = "no-store"
      given.customMetadata = ["a": "1"]
      let before = try await ref.updateMetadata(given)
      let after = try await ref.putDataAsync(Data("new".utf8))
      #expect(after.generation > before.generation)
      #expect(after.metageneration == 1)
      #expect(after.cacheControl == nil)
      #expect(after.customMetadata == nil)
      #expect(after.contentType == "text/plain")
    }
  }

  @Test func modeOwnerAndACLOfTheReplacedFileStay() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let file = fixture.backing / "f"
      try file.changeMode(0o640)
      try file.changeOwner(65534, 65534)
      try Shell.expect("setfacl -m u:1234:r \(file.quoted)")
      let access = try Shell.expect("getfacl -np \(file.quoted)")
      try await ref.putDataAsync(Data("new".utf8))
      #expect(try Shell.expect("getfacl -np \(file.quoted)") == access)
      #expect(try file.text() == "new")
    }
  }

  @Test func aNewFileGetsWhatItsFolderGives() async throws {
    try await StorageFixture.with { fixture in
      let folder = fixture.backing / "shared"
      try folder.makeFolder()
      try folder.changeOwner(0, 1234)
      try Shell.expect("chmod 2775 \(folder.quoted); setfacl -d -m u:1235:rw \(folder.quoted)")
      try await fixture.root.child("shared/f").putDataAsync(Data("x".utf8))
      try Shell.expect("echo x > \((folder / "native").quoted)")
      #expect(try (folder / "f").status().group == 1234)
      let lists = try ["f", "native"].map { try Shell.expect("getfacl -ncp \((folder / Path($0)).quoted)") }
      #expect(lists[0] == lists[1])
    }
  }

  @Test func aFileIsUploadedAndDownloaded() async throws {
    try await StorageFixture.with { fixture in
      let source = fixture.backing.sibling("source")
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      try source.write(bytes: bytes)
      let ref = fixture.root.child("f")
      let stored = try await ref.putFileAsync(from: URL(filePath: source.description)) { _ in }
      #expect(stored.size == 3_000_000)
      let target = URL(filePath: fixture.backing.sibling("made/here").description)
      let written = try await ref.writeAsync(toFile: target)
      #expect(written == target)
      #expect(try Data(contentsOf: target) == Data(bytes))
      let url = try await ref.downloadURL()
      #expect(try Data(contentsOf: url) == Data(bytes))
      let result: Data = try await outcome { ref.getData(maxSize: 3_000_000, completion: $0) }
      #expect(result == Data(bytes))
    }
  }

  @Test func aFileThatCannotBeReadIsAnUnknownError() async throws {
    try await StorageFixture.with { fixture in
      for url in ["file:///nonexistent/file", "file:///", "https://example.com/f"] {
        let error = await failure { try await fixture.root.child("f").putFileAsync(from: URL(string: url)!) }
        #expect(error?.code == .unknown)
      }
      let files = try fixture.files()
      #expect(files == [])
    }
  }

  @Test func aCancelledUploadLeavesNothing() async throws {
    try await StorageFixture.with { fixture in
      let ref = fixture.root.child("new/folder/f")
      let task = ref.putData(Data(count: 50_000_000))
      task.pause()
      let (value, error) = await completion { (done: @escaping @Sendable (StorageMetadata?, (any Error)?) -> Void) in
        task.observe(.failure) { done(nil, $0.error) }
        task.cancel()
      }
      #expect(value == nil)
      #expect(error == .cancelled)
      #expect(task.snapshot.status == .failure)
      let files = try fixture.files()
      #expect(files == [])
      let folder = fixture.backing / "new"
      #expect(folder.exists == false)
    }
  }

  @Test func cancellingTheTaskCancelsTheUpload() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f", "old")
      let before = try await ref.getMetadata()
      let upload = Task { try await ref.putDataAsync(Data(count: 200_000_000)) }
      upload.cancel()
      let error = await failure { try await upload.value }
      #expect(error == .cancelled)
      let now = try await ref.getMetadata()
      #expect(now == before)
      let files = try fixture.files()
      #expect(files == ["f"])
    }
  }

  @Test func aPausedUploadGoesOn() async throws {
    try await StorageFixture.with { fixture in
      let events = Events()
      let ref = fixture.root.child("f")
      let (stored, error) = await completion { done in
        let task = ref.putData(Data(count: 5_000_000), completion: done)
        for status in [StorageTaskStatus.pause, .resume, .progress, .success] {
          task.observe(status) { events.add($0) }
        }
        task.pause()
        task.resume()
      }
      #expect(error == nil)
      #expect(stored?.size == 5_000_000)
      let seen = events.all
      #expect(seen.map(\.status).filter { $0 != .progress } == [.pause, .resume, .success])
      #expect(seen.last?.metadata == stored)
      #expect(seen.last?.progress?.completedUnitCount == 5_000_000)
      #expect(seen.last?.progress?.fractionCompleted == 1)
    }
  }

  @Test func createOnlyNeverReplaces() async throws {
    try await StorageFixture.with { fixture in
      let ref = fixture.root.child("f")
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<20 {
          group.addTask {
            (try? await ref.putDataAsync(Data("\(number)".utf8), ifGenerationMatch: 0)) != nil
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 }.count == 1)
      let error = await failure { try await ref.putDataAsync(Data(), ifGenerationMatch: 0) }
      #expect(error?.isFailedPrecondition == true)
      let stored = try await ref.getMetadata()
      let next = try await ref.putDataAsync(Data("x".utf8), ifGenerationMatch: stored.generation)
      #expect(next.generation > stored.generation)
      let late = await failure { try await ref.putDataAsync(Data(), ifGenerationMatch: stored.generation) }
      #expect(late?.isFailedPrecondition == true)
      let files = try fixture.files()
      #expect(files == ["f"])
    }
  }

  @Test func uploadsAtOnceHaveGenerationsOfTheirOwn() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let generations = try await withThrowingTaskGroup(of: Int64.self) { group in
        for _ in 0..<20 { group.addTask { try await ref.putDataAsync(Data("x".utf8)).generation } }
        return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
      }
      let last = try await ref.getMetadata()
      #expect(last.generation == generations.max())
      let files = try fixture.files()
      #expect(files == ["f"])
    }
  }
}

/// The snapshots that observers got, in order.
final class Events: Sendable {
  private let state = Mutex<[StorageTaskSnapshot]>([])

  var all: [StorageTaskSnapshot] { state.withLock { $0 } }

  func add(_ snapshot: StorageTaskSnapshot) {
    state.withLock { $0.append(snapshot) }
  }
}

/// Uploads in which a system call fails.
@Suite(.serialized) struct FailedUploadTests {
  @Test(arguments: [SystemCall.write, .fdatasync, .fsync, .setxattr, .chmod, .rename])
  func aFailedStepLeavesTheOldObjectAndNothingElse(call: SystemCall) async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("a/f", "old")
      try (fixture.backing / "a/f").changeMode(0o640)
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      let before = try await ref.updateMetadata(metadata)
      FaultPlan.set(FaultPlan.Fault(call: call, errno: .ioError))
      let error = await failure { try await ref.putDataAsync(Data("new".utf8), metadata: metadata) }
      FaultPlan.set(nil)
      #expect(error?.code == .unknown)
      let after = try await ref.getMetadata()
      #expect(after == before)
      let files = try fixture.files()
      #expect(files == ["a/f"])
      // A new object sets no mode, and a record that does not fit goes into an overflow file.
      guard call != .chmod, call != .setxattr else { return }
      FaultPlan.set(FaultPlan.Fault(call: call, errno: .noSpace))
      let full = await failure { try await fixture.root.child("b/c/f").putDataAsync(Data("new".utf8)) }
      FaultPlan.set(nil)
      #expect(full?.code == .quotaExceeded)
      let rest = try fixture.files()
      #expect(rest == ["a/f"])
      let folder = fixture.backing / "b"
      #expect(folder.exists == false)
    }
  }
}
