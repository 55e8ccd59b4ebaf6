import BucketStorage
import Foundation
import TestSupport
import Testing

/// Names, addresses, lists and deletion.
@Suite struct ReferenceTests {
  @Test func referencesAreMadeOfPaths() async throws {
    try await StorageFixture.with { fixture in
      let root = fixture.root
      #expect(root.fullPath == "")
      #expect(root.name == "")
      #expect(root.parent() == nil)
      #expect(root.child("").fullPath == "")
      let ref = root.child("//images///forest.jpg/")
      #expect(ref.fullPath == "images/forest.jpg")
      #expect(ref.name == "forest.jpg")
      #expect(ref.bucket == "example.appspot.com")
      #expect("\(ref)" == "gs://example.appspot.com/images/forest.jpg")
      #expect(ref.parent() == root.child("images"))
      #expect(ref.root() == root)
      #expect(ref.child("") == ref)
      #expect(fixture.storage.reference(withPath: "images/forest.jpg") == ref)
      #expect(fixture.storage.reference(forURL: "gs://example.appspot.com/images/forest.jpg") == ref)
      let encoded = "https://firebasestorage.googleapis.com/v0/b/example.appspot.com/o/images%2Fforest.jpg?alt=media"
      #expect(fixture.storage.reference(forURL: encoded) == ref)
      let file = URL(filePath: (fixture.backing / "images/forest.jpg").description)
      let found = try fixture.storage.reference(for: file)
      #expect(found == ref)
      // The description of a reference leads to it, the URL that is made of one too.
      for name in ["50%25.jpg", "what?.txt", "a#b", "Zürich ✓ 1", "x y/+&=;"] {
        let odd = root.child(name)
        #expect(fixture.storage.reference(forURL: "\(odd)") == odd)
        let escaped = try #require(name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
        let url = try #require(URL(string: "gs://example.appspot.com/\(escaped)"))
        #expect(try fixture.storage.reference(for: url) == odd)
      }
      // Composed and decomposed accents are two names.
      #expect(root.child("caf\u{e9}") != root.child("cafe\u{301}"))
    }
  }

  @Test func bucketsAreKnownByName() async throws {
    try await StorageFixture.with(bucket: "known") { fixture in
      _ = try fixture.make("f")
      Storage.register(bucket: "known", directory: URL(filePath: fixture.backing.description))
      let storage = Storage.storage(url: "gs://known")
      #expect(storage == fixture.storage)
      #expect(storage == Storage.storage())
      #expect(storage != Storage(directory: URL(filePath: fixture.backing.description), bucket: "other"))
      let metadata = try await storage.reference(withPath: "f").getMetadata()
      #expect(metadata.bucket == "known")
      Storage.register(bucket: "two words_1", directory: URL(filePath: fixture.backing.description))
      #expect(Storage.storage(url: "gs://two words_1/").bucket == "two words_1")
      let unknown = await failure { try await Storage.storage(url: "gs://nobody").reference().listAll() }
      #expect(unknown?.code == .bucketNotFound)
    }
  }

  @Test func listsGoByPages() async throws {
    try await StorageFixture.with { fixture in
      for name in ["b", "a.txt", "a/x", "a/y", "z/1"] { _ = try fixture.make(name) }
      try Shell.expect("ln -s b link; mkfifo fifo", in: fixture.backing)
      let metadata = StorageMetadata()
      metadata.cacheControl = "no-store"
      try await fixture.root.child("b").updateMetadata(metadata)

      let all = try await fixture.root.listAll()
      #expect(all.items.map(\.fullPath) == ["a.txt", "b"])
      #expect(all.prefixes.map(\.fullPath) == ["a", "z"])
      #expect(all.pageToken == nil)
      let inside = try await fixture.root.child("a").listAll()
      #expect(inside.items.map(\.fullPath) == ["a/x", "a/y"])
      let missing = try await fixture.root.child("none").listAll()
      #expect(missing.items.isEmpty && missing.prefixes.isEmpty)

      var token: String?
      var seen: [String] = []
      repeat {
        let page = try await fixture.root.list(maxResults: 1, pageToken: token)
        seen += (page.items + page.prefixes).map(\.fullPath)
        token = page.pageToken
      } while token != nil
      #expect(seen == ["a.txt", "a", "b", "z"])

      let (page, error) = await completion { fixture.root.list(maxResults: 2, completion: $0) }
      #expect(error == nil)
      #expect(page?.items.count == 1)
      for limit: Int64 in [0, -1, 1001] {
        let error = await failure { try await fixture.root.list(maxResults: limit) }
        #expect(error?.code == .invalidArgument)
      }
      let bad = await failure { try await fixture.root.list(maxResults: 1, pageToken: "no base64!") }
      #expect(bad?.code == .invalidArgument)
    }
  }

  @Test func namesThatAreNotUTF8AreListedAndRead() async throws {
    try await StorageFixture.with { fixture in
      try Path(bytes: (fixture.backing / "caf").bytes + [0xe9]).write("x")
      let all = try await fixture.root.listAll()
      let ref = try #require(all.items.first)
      #expect(ref.fullPath == "caf\u{fffd}")
      let data = try await ref.data(maxSize: 1)
      #expect(data == Data("x".utf8))
    }
  }

  @Test func anObjectIsDeletedWithItsMetadata() async throws {
    try await StorageFixture.with { fixture in
      let ref = try fixture.make("a/f")
      try await ref.delete()
      let again = await failure { try await ref.delete() }
      #expect(again?.code == .objectNotFound)
      let (_, error) = await completion { (done: @escaping @Sendable (Int?, (any Error)?) -> Void) in
        ref.delete { done(nil, $0) }
      }
      #expect(error?.code == .objectNotFound)
      #expect((fixture.backing / "a").exists)
    }
  }
}
