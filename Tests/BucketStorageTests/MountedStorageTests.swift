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

  @Test(arguments: values.keys.sorted() + ["customMetadata.size", "activity"])
  func eachWritableRowGoesBothWays(row: String) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("hello world")
      let ref = StorageFixture(at: bucket.backing).root.child("f")
      let value = Self.values[row] ?? "Zürich ✓"
      let key = row.split(separator: ".").last.map(String.init) ?? row
      func metadata(_ value: String?) throws -> StorageMetadata {
        if Self.values[row] != nil { return StorageMetadata(dictionary: [row: value ?? NSNull()]) }
        let metadata = try waited { ref.getMetadata(completion: $0) }
        metadata.customMetadata = value.map { [key: $0] } ?? [:]
        return metadata
      }
      func read() throws -> String? {
        let dictionary = try waited { ref.getMetadata(completion: $0) }.dictionaryRepresentation()
        return dictionary[row] as? String ?? (dictionary["customMetadata"] as? [String: String])?[key]
      }
      let unset = try read()
      // Set by the one, read and deleted by the other, and the reverse.
      try file.set(row, value)
      #expect(try read() == value)
      let deleted = try metadata(nil)
      _ = try waited { ref.updateMetadata(deleted, completion: $0) }
      #expect(try file.attributeNames() == [])
      #expect(try file.attributeIfSet(row) == (row == "md5Hash" ? unset : nil))
      let given = try metadata(value)
      _ = try waited { ref.updateMetadata(given, completion: $0) }
      #expect(try file.attribute(row) == value)
      #expect(try file.attributeNames() == ["user.\(row)"])
      try file.remove(row)
      #expect(try read() == (row == "md5Hash" ? unset : nil))
      let metageneration = try waited { ref.getMetadata(completion: $0) }.metageneration
      #expect(metageneration == 5)
    }
  }

  @Test func aHundredTasksAndFourMountsUpdatingOneObjectLoseNoUpdate() async throws {
    let (count, metageneration) = try await onThread {
      try MountedBucket.with { bucket in
        try (bucket / "f").write("content")
        let ref = StorageFixture(at: bucket.backing).root.child("f")
        func with(_ mounts: [MountedBucket], _ body: ([MountedBucket]) throws -> Void) throws {
          if mounts.count == 4 { return try body(mounts) }
          try MountedBucket.with(at: bucket.backing) { try with(mounts + [$0], body) }
        }
        try with([bucket]) { mounts in
          let group = DispatchGroup()
          for number in 0..<100 {
            group.enter()
            Task {
              let metadata = StorageMetadata()
              metadata.customMetadata = ["task\(number)": "x"]
              do {
                try await ref.updateMetadata(metadata)
              } catch {
                Issue.record(error)
              }
              group.leave()
            }
          }
          let script = "for i in $(seq 25); do setfattr -n user.mount$1-$i -v x f; done"
          let writers = try mounts.enumerated().map { number, mount in
            try Program(["bash", "-euc", script, "writer", "\(number)"], in: mount.mountpoint)
          }
          for writer in writers { #expect(writer.wait(seconds: 120) == 0, "\(writer.standardError)") }
          group.wait()
        }
        let metadata = try waited { ref.getMetadata(completion: $0) }
        return (metadata.customMetadata?.count, metadata.metageneration)
      }
    }
    #expect(count == 200)
    #expect(metageneration == 201)
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
