import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("An ordinary user")
struct UserTests {
  /// What ext4 holds in no xattr, with room for one more entry.
  private static var large: Record {
    var record = Sample.large
    record.custom.removeLast()
    return record
  }

  @Test("reads what the files let him read, and is refused what he cannot store")
  func readsOnly() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set(.contentType, "image/jpeg")
      try Caller.nobody.run {
        let own = try TestBucket(at: bucket.path).object("a")
        #expect(try own.value(.contentType) == "image/jpeg")
        #expect(throws: ChangeError<Never>.self) { try own.set("k", "v") }
        own.store.pin(own.descriptor, above: .max / 4, content: .closed)
      }
      #expect(try object.version().metageneration == 2)
      #expect(try object.record()?.custom == [])
    }
  }

  @Test("gets EACCES for a record that he cannot read, never derived values")
  func unreadable() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set(.contentType, "image/jpeg")
      try bucket.make("big").change { $0 = Self.large.withVersion(of: $0) }
      try object.path.changeMode(0o600)
      try Caller.nobody.run {
        let theirs = try TestBucket(at: bucket.path)
        #expect(throws: StoreError.unreadableRecord) { try theirs.object("a").record() }
        // The overflow file is in a folder that is closed to him.
        #expect(throws: StoreError.unreadableRecord) { try theirs.object("big").record() }
      }
      #expect(Errno(StoreError.unreadableRecord) == .permissionDenied)
    }
  }

  @Test("shares a bucket with others where all may write in it", arguments: [0o777, 0o1777] as [UInt32])
  func shared(_ mode: UInt32) throws {
    try TestBucket.with { bucket in
      try bucket.path.changeMode(mode)
      // Whoever comes first makes the folder and the first overflow file.
      try Caller.nobody.run {
        try TestBucket(at: bucket.path).make("theirs").change { $0 = Self.large.withVersion(of: $0) }
      }
      try Caller(user: 1234).run {
        let own = try TestBucket(at: bucket.path)
        try own.make("ours").change { $0 = Self.large.withVersion(of: $0) }
        #expect(try own.object("theirs").record()?.custom == Self.large.custom)
        #expect(try own.object("ours").record()?.custom == Self.large.custom)
      }
      try bucket.object("theirs").set("k", "v")
      try bucket.make("roots").change { $0 = Self.large.withVersion(of: $0) }
      try Caller.nobody.run {
        let own = try TestBucket(at: bucket.path)
        try own.object("theirs").set("k", "w")
        #expect(try own.object("roots").record()?.custom == Self.large.custom)
      }
      #expect(try bucket.object("theirs").value("k") == "w")
    }
  }

  @Test("may change metadata where an ACL alone lets him write in the bucket, and others may not")
  func listed() throws {
    try TestBucket.with { bucket in
      let root = bucket.path
      try Shell.expect("setfacl -m u:1234:rwx,g:1300:r-x,d:u:1235:rwx . ; chmod o-w .", in: root)
      // Root makes the folder and the lock; an overflow file comes from either.
      try bucket.make("roots").change { $0 = Self.large.withVersion(of: $0) }
      try Caller(user: 1234).run {
        let own = try TestBucket(at: root)
        try own.make("theirs").change { $0 = Self.large.withVersion(of: $0) }
        #expect(try own.object("roots").record()?.custom == Self.large.custom)
      }
      #expect(try bucket.object("theirs").record()?.custom == Self.large.custom)
      for user in [1235, 1300, 65534] as [UInt32] {
        try Caller(user: user, group: user).run {
          #expect(throws: Errno.permissionDenied) { try (root / ".bucketfs").entries() }
          #expect(throws: Errno.permissionDenied) { try (root / ".bucketfs/lock").text() }
        }
      }
      let lists = try Shell.expect("getfacl -cp .bucketfs .bucketfs/lock", in: root)
      #expect(!lists.contains("default:"))
      #expect(lists.contains("user:1234:rwx") && lists.contains("user:1234:rw-"), "\(lists)")
    }
  }

  @Test("owns his own bucket alone, whatever his umask", arguments: [0o000, 0o077, 0o777] as [UInt32])
  func umask(_ mask: UInt32) throws {
    try TestBucket.with { bucket in
      try bucket.path.changeOwner(65534, 65534)
      try Caller(user: 65534, umask: mask).run {
        let own = try TestBucket(at: bucket.path)
        try (own.path / "a").write("")
        try (own.path / "a").changeMode(0o600)
        try own.object("a").change { $0 = Self.large.withVersion(of: $0) }
        try own.object("a").set("k", "v")
        #expect(try own.object("a").value("k") == "v")
      }
      #expect(try (bucket.path / ".bucketfs").status().mode & 0o7777 == 0o700)
    }
  }

  @Test("gains no right to root's files by calling them what bucketfs calls its own")
  func planted() throws {
    try TestBucket.with { bucket in
      try bucket.path.changeOwner(65534, 65534)
      let secret = bucket.path / ".bucketfs"
      try secret.makeFolder(mode: 0o700)
      try (secret / "lock").write("secret")
      try (secret / "lock").changeMode(0o600)
      try bucket.make("a").set("k", "v")
      for path in [secret, secret / "lock"] {
        let status = try path.status()
        #expect(status.owner == 0)
        #expect(status.mode & 0o077 == 0)
      }
      #expect(try (secret / "lock").text() == "secret")
    }
  }
}
