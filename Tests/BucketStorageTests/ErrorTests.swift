import BucketStorage
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Every error, provoked for real.
@Suite struct ErrorTests {
  @Test func whatIsNoObjectIsNotFound() async throws {
    try await StorageFixture.with { fixture in
      _ = try fixture.make("a/f")
      try Shell.expect("ln -s a/f link; ln -s a folder; mkfifo fifo", in: fixture.backing)
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      try await fixture.root.child("a/f").updateMetadata(metadata)
      for name in ["none", "a", "a/f/g", "link", "folder/f", "fifo", ".bucketfs", ".bucketfs/lock"] {
        let ref = fixture.root.child(name)
        let errors = await [
          failure { try await ref.getMetadata() }, failure { try await ref.updateMetadata(metadata) },
          failure { try await ref.data(maxSize: 1) }, failure { try await ref.downloadURL() },
          failure { try await ref.delete() },
        ]
        for error in errors {
          guard case .objectNotFound(let object, let details)? = error else {
            Issue.record("\(name): \(error as Any)")
            continue
          }
          #expect(object == name)
          #expect(details["bucket"] as? String == "example.appspot.com")
        }
      }
    }
  }

  @Test func askingForAFIFOIsSeenByNobodyAtItsOtherEnd() async throws {
    try await StorageFixture.with { fixture in
      try Shell.expect("mkfifo fifo", in: fixture.backing)
      let fifo = fixture.root.child("fifo")
      // Who opens it for writing waits for somebody who opens it for reading.
      let writer = try Program(["sh", "-c", ": >fifo"], in: fixture.backing)
      let end = ContinuousClock.now + .milliseconds(500)
      while ContinuousClock.now < end {
        for error in await [failure { try await fifo.getMetadata() }, failure { try await fifo.delete() }] {
          #expect(error?.code == .objectNotFound)
        }
      }
      #expect(writer.wait(seconds: 0) == nil)
      try Shell.expect("cat fifo", in: fixture.backing)
      #expect(writer.wait(seconds: 10) == 0)
    }
  }

  @Test func namesThatLeadElsewhereAreRefusedAtUse() async throws {
    try await StorageFixture.with { fixture in
      _ = try fixture.make("a/f")
      for name in ["..", "a/../a/f", "./a/f", "a/.", "nul\0"] {
        let ref = fixture.root.child(name)
        let read = await failure { try await ref.getMetadata() }
        #expect(read?.code == .pathError)
        let written = await failure { try await ref.putDataAsync(Data()) }
        #expect(written?.code == .pathError)
      }
      for name in ["a", "a/f/g", ".bucketfs/x", String(repeating: "x", count: 256)] {
        let error = await failure { try await fixture.root.child(name).putDataAsync(Data()) }
        #expect(error?.code == .pathError)
      }
      let root = await failure { try await fixture.root.getMetadata() }
      #expect(root?.code == .invalidArgument)
      let files = try fixture.files()
      #expect(files == ["a/f"])
    }
  }

  @Test func valuesThatCannotBeStoredAreInvalid() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let long = String(repeating: "x", count: 4097)
      let full = Dictionary(uniqueKeysWithValues: (0..<3).map { ("\($0)", String(repeating: "x", count: 4000)) })
      let dictionaries: [[String: Any]] = [
        ["contentType": "none"], ["cacheControl": ""], ["cacheControl": long], ["contentDisposition": "a\nb"],
        ["md5Hash": "no"], ["contentLanguage": "?"], ["contentEncoding": "a b"], ["customMetadata": ["a": long]],
        ["customMetadata": ["": "a"]], ["customMetadata": full], ["customMetadata": ["a": "\0"]],
      ]
      for dictionary in dictionaries {
        let metadata = StorageMetadata(dictionary: dictionary)
        let error = await failure { try await ref.updateMetadata(metadata) }
        #expect(error?.code == .invalidArgument)
        let upload = await failure { try await fixture.root.child("g").putDataAsync(Data(), metadata: metadata) }
        #expect(upload?.code == .invalidArgument)
      }
      let after = try await ref.getMetadata()
      #expect(after.metageneration == 1)
      let files = try fixture.files()
      #expect(files == ["f"])
    }
  }

  @Test func aDamagedRecordIsAnInternalErrorUntilTheObjectIsReplaced() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("f")
      let other = try fixture.make("g")
      try (fixture.backing / "f").set("bucketfs", "garbage")
      let read = await failure { try await ref.getMetadata() }
      #expect(read?.code == .internalError)
      #expect(read?.description.contains("gs://example.appspot.com/f") == true)
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      let updated = await failure { try await ref.updateMetadata(metadata) }
      #expect(updated?.code == .internalError)
      let data = try await ref.data(maxSize: 100)
      #expect(data == Data("hello world".utf8))
      _ = try await other.getMetadata()
      let replaced = try await ref.putDataAsync(Data(), metadata: metadata)
      #expect(replaced.cacheControl == "no-store")
    }
  }

  @Test func checksumsAndSizesAreHeldAgainstTheContent() async throws {
    try await StorageFixture.with { fixture in
      fixture.storage.verifiesMD5 = true
      let ref = try fixture.make("f")
      let wrong = StorageMetadata()
      wrong.md5Hash = "AAAAAAAAAAAAAAAAAAAAAA=="
      let updated = await failure { try await ref.updateMetadata(wrong) }
      #expect(updated?.code == .nonMatchingChecksum)
      let uploaded = await failure { try await ref.putDataAsync(Data("x".utf8), metadata: wrong) }
      #expect(uploaded?.code == .nonMatchingChecksum)
      let right = StorageMetadata()
      right.md5Hash = "XrY7u+Ae7tCTyyK7j1rNww=="
      let stored = try await ref.updateMetadata(right)
      #expect(stored.md5Hash == right.md5Hash)
      let large = await failure { try await ref.data(maxSize: 10) }
      #expect(large == .downloadSizeExceeded(total: 11, maxSize: 10))
    }
  }

  @Test func bucketsThatAreNotThereAreNotFound() async throws {
    try await StorageFixture.with { fixture in
      let file = fixture.backing / "file"
      try file.write("")
      for path in ["/nonexistent", file.description] {
        let storage = Storage(directory: URL(filePath: path), bucket: "b")
        let error = await failure { try await storage.reference(withPath: "f").getMetadata() }
        #expect(error?.code == .bucketNotFound)
      }
      // One that is removed, and made again.
      let gone = fixture.backing / "gone"
      try gone.makeFolder()
      let storage = Storage(directory: URL(filePath: gone.description))
      let ref = storage.reference(withPath: "f")
      for again in [false, true] {
        if again { try gone.makeFolder() }
        try await ref.putDataAsync(Data("x".utf8))
        try Shell.expect("rm -r \(gone.quoted)")
        let metadata = StorageMetadata()
        metadata.cacheControl = "no-store"
        let errors = await [
          failure { try await ref.getMetadata() }, failure { try await ref.updateMetadata(metadata) },
          failure { try await ref.putDataAsync(Data()) }, failure { try await ref.data(maxSize: 1) },
          failure { try await ref.delete() }, failure { try await storage.reference().listAll() },
        ]
        #expect(errors.map(\.?.code) == Array(repeating: .bucketNotFound, count: 6))
      }
      let mismatch = await failure { try fixture.storage.reference(for: URL(string: "gs://other/f")!) }
      #expect(mismatch?.code == .bucketMismatch)
      for url in ["ftp://x/f", "gs:///f", "https://example.com/f"] {
        let error = await failure { try fixture.storage.reference(for: URL(string: url)!) }
        #expect(error?.code == .pathError)
      }
      #expect(
        StorageErrorCode.allCases.map(\.rawValue).sorted() == [
          -13053, -13052, -13051, -13050, -13040, -13032, -13031, -13030, -13021, -13020, -13013, -13012, -13011,
          -13010,
          -13000,
        ])
    }
  }
}
