import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("Pins")
struct PinTests {
  @Test("raise a generation that would repeat, and start a new metageneration")
  func above() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      let before = try object.version()
      object.store.pin(object.descriptor, above: before.generation + 10, content: .closed)
      let after = try object.version()
      #expect(after.generation == before.generation + 11)
      #expect(after.metageneration == 1)
      #expect(try object.plain("user.bucketfs")!.count <= 64)
    }
  }

  @Test("are not written where the formula alone is enough")
  func notNeeded() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      object.store.pin(object.descriptor, above: try object.version().generation - 1, content: .closed)
      object.store.finishWriting(object.descriptor, above: 5)
      #expect(try object.plainNames() == [])
    }
  }

  @Test("take in no plain xattrs and leave metadata as it is")
  func adoptNothing() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set("mine", "1")
      try object.setPlain("user.foreign", "2")
      object.store.pin(object.descriptor, above: try object.version().generation, content: .closed)
      #expect(try object.plainNames() == ["user.bucketfs", "user.foreign"])
      #expect(try object.value("mine") == "1")
      #expect(try object.value("foreign") == "2")
    }
  }

  @Test("keep the version when times are set, to the past, the present, or not at all", arguments: [true, false])
  func touch(_ hasRecord: Bool) throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      if hasRecord { try object.set("k", "v") }
      let before = try object.version()
      let past = Timestamp(seconds: 1000, nanoseconds: 7)
      for (time, known) in [(TimeChange.to(past), past), (.now, nil), (.keep, nil)] as [(TimeChange, Timestamp?)] {
        try object.store.keepVersion(of: object.descriptor, settingMtime: known) { () throws(Errno) in
          try System.changeTimes(of: object.descriptor, accessed: .keep, modified: time)
        }
        #expect(try object.version() == before)
      }
    }
  }

  @Test("keep the version when setting the times fails")
  func touchFails() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set("k", "v")
      let before = try object.version()
      #expect(throws: Errno.notPermitted) {
        try object.store.keepVersion(of: object.descriptor, settingMtime: Timestamp(seconds: 9, nanoseconds: 9)) {
          () throws(Errno) in throw .notPermitted
        }
      }
      #expect(try object.version() == before)
    }
  }

  @Test("keep a digest that was set on the empty file through the first content alone")
  func provisionalDigest() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a", "")
      let digest = "XUFAKrxLKna5cZ2REBfFkg=="
      try object.change(content: .openForWriting) {
        $0[.md5Hash] = .value(Array(digest.utf8))
        $0.md5IsProvisional = true
      }
      let generation = try object.version().generation
      try object.path.write("hello")
      #expect(try object.value(.md5Hash, content: .openForWriting) == digest)
      #expect(try object.value(.md5Hash) == nil)
      // Another change while it is being written.
      try object.change(content: .openForWriting) { $0[.contentType] = .value(Array("text/plain".utf8)) }
      try object.path.append(" world")
      #expect(try object.value(.md5Hash, content: .openForWriting) == digest)
      object.store.finishWriting(object.descriptor, above: generation)
      #expect(try object.value(.md5Hash) == digest)
      #expect(try object.record()?.md5IsProvisional == false)
      try object.path.append("!")
      #expect(try object.value(.md5Hash, content: .openForWriting) == nil)
      #expect(try object.value(.contentType) == "text/plain")
    }
  }

  @Test("drop a digest with the content that it was of")
  func digestOfContent() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set(.md5Hash, "XUFAKrxLKna5cZ2REBfFkg==")
      #expect(try object.value(.md5Hash) != nil)
      try object.store.keepVersion(of: object.descriptor, settingMtime: Timestamp(seconds: 5, nanoseconds: 0)) {
        () throws(Errno) in
        try System.changeTimes(
          of: object.descriptor, accessed: .keep, modified: .to(Timestamp(seconds: 5, nanoseconds: 0)))
      }
      #expect(try object.value(.md5Hash) != nil)
      try object.path.append("!")
      #expect(try object.value(.md5Hash) == nil)
      object.store.pin(object.descriptor, above: .max / 4, content: .closed)
      #expect(try object.record()?[.md5Hash] == .unset)
    }
  }

  @Test("make generations grow strictly through a series of writes with old times and a stepping clock")
  func series() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      var last = try object.version().generation
      for round in 0..<20 {
        try object.path.write("round \(round)")
        try System.changeTimes(
          of: object.descriptor, accessed: .keep,
          modified: .to(Timestamp(seconds: round % 2 == 0 ? 1000 : 900, nanoseconds: 0)))
        object.store.finishWriting(object.descriptor, above: last)
        let now = try object.version().generation
        #expect(now > last)
        last = now
      }
    }
  }
}
