import BucketStorage
import Foundation
import SystemCalls
import TestSupport
import Testing

/// The library on the backing directory and a mount of it show the same.
@Suite struct MountedStorageTests {
  private static let values = [
    "md5Hash": "XrY7u+Ae7tCTyyK7j1rNww==", "cacheControl": "no-store", "contentDisposition": "inline",
    "contentEncoding": "gzip", "contentLanguage": "de-CH", "contentType": "text/x-log",
  ]

  private static func rows(_ metadata: StorageMetadata) -> [String: String] {
    var rows: [String: String] = [:]
    for (name, value) in metadata.dictionaryRepresentation() where name != "customMetadata" { rows[name] = "\(value)" }
    return rows
  }

  @Test func whatOneWritesTheOtherReads() throws {
    try MountedBucket.with(MountOptions(arguments: ["--bucket", "example.appspot.com"])) { bucket in
      let fixture = StorageFixture(at: bucket.backing)
      let ref = fixture.root.child("images/forest.jpg")
      let mounted = bucket / "images/forest.jpg"

      // The library writes.
      let given = StorageMetadata(dictionary: Self.values)
      given.customMetadata = ["location": "Yosemite, CA, USA", "size": "big"]
      let stored = try waited { ref.putData(Data("hello world".utf8), metadata: given, completion: $0) }
      let rows = Self.rows(stored)
      #expect(rows.count == 14)
      for (name, value) in rows { #expect(try mounted.attribute(name) == value, "\(name)") }
      #expect(try mounted.attribute("location") == "Yosemite, CA, USA")
      #expect(try mounted.attribute("customMetadata.size") == "big")

      // The mount writes.
      try mounted.write("other")
      for (name, value) in ["cacheControl": "public", "contentType": "text/css", "contentLanguage": "en"] {
        try mounted.set(name, value)
      }
      try mounted.remove("contentEncoding")
      try mounted.remove("contentDisposition")
      try mounted.set("activity", "Hiking")
      try mounted.remove("location")
      let read = try waited { ref.getMetadata(completion: $0) }
      let after = Self.rows(read)
      #expect(after.count == 12)
      for (name, value) in after { #expect(try mounted.attribute(name) == value, "\(name)") }
      #expect(read.customMetadata == ["activity": "Hiking", "size": "big"])
      #expect(read.generation > stored.generation)
      #expect(read.metageneration == 8)
      #expect(read.size == 5)
    }
  }

  @Test func mountAndLibraryLoseNoUpdateOfEachOther() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("content")
      let ref = StorageFixture(at: bucket.backing).root.child("f")
      let updates = 50
      let group = DispatchGroup()
      for number in 0..<updates {
        let metadata = StorageMetadata()
        metadata.customMetadata = ["library\(number)": "x"]
        group.enter()
        ref.updateMetadata(metadata) { (result: Result<StorageMetadata, any Error>) in
          if case .failure(let error) = result { Issue.record(error) }
          group.leave()
        }
      }
      for number in 0..<updates { try (bucket / "f").set("mount\(number)", "x") }
      group.wait()
      let metadata = try waited { ref.getMetadata(completion: $0) }
      #expect(metadata.metageneration == Int64(2 * updates + 1))
      #expect(metadata.customMetadata?.count == 2 * updates)
    }
  }

  @Test func anUploadIsSeenThroughTheMountWhole() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("old")
      let ref = StorageFixture(at: bucket.backing).root.child("f")
      let file = try OpenFile(bucket / "f")
      let before = try (bucket / "f").attribute("generation")
      _ = try waited { ref.putData(Data("new content".utf8), completion: $0) }
      #expect(try file.read(100) == Array("old".utf8))
      // Names are asked for again once a second.
      usleep(1_200_000)
      #expect(try (bucket / "f").text() == "new content")
      #expect(try Int64((bucket / "f").attribute("generation"))! > Int64(before)!)
      #expect(try bucket.mountpoint.entries() == ["f"])
    }
  }
}
