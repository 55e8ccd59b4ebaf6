import BucketStorage
import Foundation
import TestSupport
import Testing

/// The examples of "Use file metadata" of Cloud Storage for Firebase, in its order: the Swift ones as they stand, the
/// Objective-C ones with completion handlers.
@Suite struct SeedExampleTests {
  @Test func metadataIsGotten() async throws {
    try await StorageFixture.with { fixture in
      _ = try fixture.make("images/forest.jpg", "forest\n")
      let storageRef = fixture.storage.reference()

      // Create reference to the file whose metadata we want to retrieve
      let forestRef = storageRef.child("images/forest.jpg")

      // Get metadata properties
      do {
        let metadata = try await forestRef.getMetadata()
        #expect(metadata.name == "forest.jpg")
        #expect(metadata.size == 7)
        #expect(metadata.contentType == "image/jpeg")
        #expect(metadata.contentDisposition == nil)
        #expect(metadata.timeCreated != nil)
      }

      let (metadata, error) = await completion { forestRef.getMetadata(completion: $0) }
      #expect(error == nil)
      let same = try await forestRef.getMetadata()
      #expect(metadata == same)
    }
  }

  @Test func onlyThePropertiesSpecifiedAreUpdated() async throws {
    try await StorageFixture.with { fixture in
      _ = try fixture.make("images/forest.jpg")
      let storageRef = fixture.storage.reference()
      let earlier = StorageMetadata()
      earlier.contentLanguage = "en"
      try await storageRef.child("images/forest.jpg").updateMetadata(earlier)

      // Create reference to the file whose metadata we want to change
      let forestRef = storageRef.child("images/forest.jpg")

      // Create file metadata to update
      let newMetadata = StorageMetadata()
      newMetadata.cacheControl = "public,max-age=300"
      newMetadata.contentType = "image/jpeg"

      // Update metadata properties
      do {
        let updatedMetadata = try await forestRef.updateMetadata(newMetadata)
        #expect(updatedMetadata.cacheControl == "public,max-age=300")
        #expect(updatedMetadata.contentType == "image/jpeg")
        #expect(updatedMetadata.contentLanguage == "en")
        #expect(updatedMetadata.metageneration == 3)
      }

      let (metadata, error) = await completion { forestRef.updateMetadata(newMetadata, completion: $0) }
      #expect(error == nil)
      #expect(metadata?.cacheControl == "public,max-age=300")
      #expect(metadata?.contentLanguage == "en")
      #expect(metadata?.metageneration == 4)
    }
  }

  @Test func writablePropertiesAreDeletedBySettingThemToNil() async throws {
    try await StorageFixture.with { fixture in
      let forestRef = try fixture.make("images/forest.jpg")
      let typed = StorageMetadata()
      typed.contentType = "image/webp"
      typed.cacheControl = "no-store"
      try await forestRef.updateMetadata(typed)

      let newMetadata = StorageMetadata()
      newMetadata.contentType = nil

      // Delete the metadata property
      let (metadata, error) = await completion { forestRef.updateMetadata(newMetadata, completion: $0) }
      #expect(error == nil)
      #expect(metadata != nil)
      #expect(metadata?.contentType == nil)
      #expect(metadata?.cacheControl == "no-store")

      do {
        // Delete the metadata property
        let updatedMetadata = try await forestRef.updateMetadata(newMetadata)
        #expect(updatedMetadata.contentType == nil)
        #expect(updatedMetadata.cacheControl == "no-store")
      }
    }
  }

  @Test func errorsAreHandled() async throws {
    try await StorageFixture.with { fixture in
      let missing = fixture.root.child("images/none.jpg")
      do {
        _ = try await missing.getMetadata()
        Issue.record("there is no such object")
      } catch {
        let error = error as NSError
        #expect(error.domain == StorageErrorDomain)
        #expect(StorageErrorCode(rawValue: error.code) == .objectNotFound)
        #expect(error.userInfo["object"] as? String == "images/none.jpg")
        #expect(error.userInfo["bucket"] as? String == "example.appspot.com")
        #expect(error.localizedDescription == "Object images/none.jpg does not exist.")
      }
      let (metadata, error) = await completion { missing.updateMetadata(StorageMetadata(), completion: $0) }
      #expect(metadata == nil)
      #expect(error?.code == .objectNotFound)
    }
  }

  @Test func customMetadataIsStored() async throws {
    try await StorageFixture.with { fixture in
      let forestRef = try fixture.make("images/forest.jpg")

      let metadata = [
        "customMetadata": [
          "location": "Yosemite, CA, USA",
          "activity": "Hiking",
        ]
      ]

      let updated = try await forestRef.updateMetadata(StorageMetadata(dictionary: metadata))
      #expect(updated.customMetadata == ["location": "Yosemite, CA, USA", "activity": "Hiking"])
      let (stored, error) = await completion { forestRef.getMetadata(completion: $0) }
      #expect(error == nil)
      #expect(stored?.customMetadata == metadata["customMetadata"])
    }
  }

  @Test func allPropertiesAreThere() async throws {
    try await StorageFixture.with { fixture in
      let forestRef = try fixture.make("images/forest.jpg")
      let given = StorageMetadata()
      given.md5Hash = "XrY7u+Ae7tCTyyK7j1rNww=="
      given.cacheControl = "public"
      given.contentDisposition = "inline"
      given.contentEncoding = "gzip"
      given.contentLanguage = "en"
      given.contentType = "text/plain"
      given.customMetadata = ["location": "Yosemite, CA, USA"]
      let metadata = try await forestRef.updateMetadata(given)

      let bucket: String = metadata.bucket
      #expect(bucket == "example.appspot.com")
      let generation: Int64 = metadata.generation
      let status = try (fixture.backing / Path("images/forest.jpg")).status()
      #expect(generation == max(status.modified, status.born) / 1000)
      let metageneration: Int64 = metadata.metageneration
      #expect(metageneration == 2)
      #expect(metadata.fullPath == "images/forest.jpg")
      #expect(metadata.path == "images/forest.jpg")
      #expect(metadata.name == "forest.jpg")
      let size: Int64 = metadata.size
      #expect(size == 11)
      let created: Date = try #require(metadata.timeCreated)
      #expect(created == Date(timeIntervalSince1970: Double(generation) / 1_000_000))
      let updated: Date = try #require(metadata.updated)
      #expect(updated >= created)
      #expect(metadata.md5Hash == "XrY7u+Ae7tCTyyK7j1rNww==")
      #expect(metadata.cacheControl == "public")
      #expect(metadata.contentDisposition == "inline")
      #expect(metadata.contentEncoding == "gzip")
      #expect(metadata.contentLanguage == "en")
      #expect(metadata.contentType == "text/plain")
      #expect(metadata.customMetadata == ["location": "Yosemite, CA, USA"])
      #expect(metadata.isFile)
      #expect(!metadata.isFolder)
      #expect(metadata.storageReference == forestRef)
    }
  }

  @Test func settingTheHashOnUploadDoesNotAffectIt() async throws {
    try await StorageFixture.with { fixture in
      let metadata = StorageMetadata()
      metadata.md5Hash = "AAAAAAAAAAAAAAAAAAAAAA=="
      let ref = fixture.root.child("a")
      let stored = try await ref.putDataAsync(Data("abc".utf8), metadata: metadata)
      #expect(stored.md5Hash == "AAAAAAAAAAAAAAAAAAAAAA==")
      #expect(try await ref.data(maxSize: 10) == Data("abc".utf8))
    }
  }
}
