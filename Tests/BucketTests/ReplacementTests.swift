import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("Replacing an object")
struct ReplacementTests {
  private func pair(_ body: (_ old: Object, _ new: Object) throws -> Void) throws {
    try TestBucket.with { bucket in
      let old = try bucket.make("old")
      let new = try bucket.make("new", "new content")
      try old.change {
        $0[.contentType] = .removed
        $0[.cacheControl] = .value(Array("no-store".utf8))
        $0[.md5Hash] = .value(Array("XUFAKrxLKna5cZ2REBfFkg==".utf8))
        $0.setCustom(CustomEntry(key: [1], value: [2]))
      }
      try body(old, new)
    }
  }

  @Test("takes over all but the digest, a removed type as removed, at a higher generation")
  func takesOver() throws {
    try pair { old, new in
      try old.setPlain("user.plain", "p")
      let replacement = old.store.prepare(
        new.descriptor, toReplace: old.descriptor, takingOver: true, content: .closed)
      let record = try #require(try new.record())
      #expect(record[.contentType] == .removed)
      #expect(record.value(.cacheControl) == Array("no-store".utf8))
      #expect(record[.md5Hash] == .unset)
      #expect(record.customValue([1].span) == [2])
      #expect(try new.value("plain") == "p")
      #expect(try new.version().generation > old.version().generation)
      #expect(try new.version().metageneration == 1)
      try old.store.undo(#require(replacement), of: new.descriptor)
      #expect(try new.plainNames() == [])
    }
  }

  @Test("leaves alone what the new file set itself, plainly or not")
  func keepsOwn() throws {
    try pair { old, new in
      try new.set(.contentType, "text/html")
      try new.setPlain("user.cacheControl", "public")
      let before = try new.plain("user.bucketfs")
      let replacement = old.store.prepare(
        new.descriptor, toReplace: old.descriptor, takingOver: true, content: .closed)
      #expect(try new.value(.contentType) == "text/html")
      #expect(try new.value(.cacheControl) == "public")
      #expect(try new.record()?.customValue([1].span) == [2])
      try old.store.undo(#require(replacement), of: new.descriptor)
      #expect(try new.plain("user.bucketfs") == before)
    }
  }

  @Test("without taking over raises the generation alone, above both")
  func raisesAlone() throws {
    try pair { old, new in
      let own = try new.version().generation
      #expect(old.store.prepare(new.descriptor, toReplace: old.descriptor, takingOver: false, content: .closed) != nil)
      #expect(try new.version().generation == own + 1)
      old.store.pin(old.descriptor, above: own + 5, content: .closed)
      #expect(old.store.prepare(new.descriptor, toReplace: old.descriptor, takingOver: false, content: .closed) != nil)
      #expect(try new.version().generation > own + 6)
      #expect(try new.metadata().holdsVersionOnly)
    }
  }

  @Test("takes nothing over that would pass the limit, but still raises the generation")
  func overLimit() throws {
    try pair { old, new in
      try new.change { $0 = Sample.large.withVersion(of: $0) }
      try old.change { $0.setCustom(CustomEntry(key: [7], value: Array(repeating: 7, count: 4000))) }
      old.store.pin(old.descriptor, above: try new.version().generation, content: .closed)
      _ = old.store.prepare(new.descriptor, toReplace: old.descriptor, takingOver: true, content: .closed)
      #expect(try new.record()?.custom == Sample.large.custom)
      #expect(try new.version().generation > old.version().generation)
    }
  }

  @Test("undoes nothing that was changed since")
  func undoneTooLate() throws {
    try pair { old, new in
      let replacement = old.store.prepare(
        new.descriptor, toReplace: old.descriptor, takingOver: true, content: .closed)
      try new.set("k", "v")
      try old.store.undo(#require(replacement), of: new.descriptor)
      #expect(try new.value("k") == "v")
    }
  }

  @Test("goes on where the old record is damaged")
  func damaged() throws {
    try pair { old, new in
      try old.setPlain("user.bucketfs", "garbage")
      #expect(old.store.prepare(new.descriptor, toReplace: old.descriptor, takingOver: true, content: .closed) == nil)
      #expect(try new.plainNames() == [])
    }
  }
}
