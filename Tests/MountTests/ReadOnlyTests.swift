import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// `-o ro` leaves the backing directory exactly as it was, reading included.
@Suite struct ReadOnlyTests {
  /// Furnishes a bucket, with access times that reading would move.
  private func prepare(_ backing: Path) throws {
    try (backing / "d").makeFolder()
    try (backing / "f.txt").write("content")
    try (backing / "d/g").write(String(repeating: "0123456789", count: 20_000))
    try (backing / "f.txt").set("location", "here")
    try (backing / "d/link").makeSymbolicLink(to: "g")
    try Shell.expect("find . -exec touch -h -a -d '3 days ago' {} +", in: backing)
  }

  @Test func readingMovesNothing() throws {
    try MountedBucket.with(prepare: prepare) { bucket in
      try (bucket / "f.txt").set("activity", "Hiking")
      bucket.unmount()
      try Shell.expect("find . -exec touch -h -a -d '3 days ago' {} +", in: bucket.backing)
      let before = try Tree(bucket.backing)
      try bucket.mount(MountOptions(["ro"]))
      try Shell.expect("ls -lR; cat f.txt d/g d/link; tar --xattrs -cf /dev/null .", in: bucket.mountpoint)
      #expect(try (bucket / "f.txt").attribute("location") == "here")
      #expect(try (bucket / "f.txt").attribute("activity") == "Hiking")
      #expect(try (bucket / "f.txt").attribute("md5Hash").utf8.count == 24)
      #expect(try (bucket / "d/g").attribute("contentType") == "application/octet-stream")
      let mapped = try Shell.expect(
        "python3 -c 'import mmap; f = open(\"d/g\"); print(len(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:]))'",
        in: bucket.mountpoint)
      #expect(mapped == "200000")
      bucket.unmount()
      #expect(try Tree(bucket.backing).differences(from: before) == [])
    }
  }

  @Test func everyChangeIsRefused() throws {
    try MountedBucket.with(MountOptions(["ro"]), prepare: prepare) { bucket in
      let before = try Tree(bucket.backing)
      let file = bucket / "f.txt"
      let changes: [(String, () throws -> Void)] = [
        ("set", { try file.set("location", "there") }),
        ("set a property", { try file.set("contentType", "text/html") }),
        ("set a read-only property", { try file.set("size", "1") }),
        ("remove", { try file.remove("location") }),
        ("update", { try file.set("bucketfs.update", "{}") }),
        ("append", { try file.append("x") }),
        ("truncate", { try file.truncate(to: 0) }),
        ("create", { try (bucket / "new").write("x") }),
        ("unlink", { try file.unlink() }),
        ("rename", { try file.rename(to: bucket / "new") }),
        ("link", { try file.link(to: bucket / "new") }),
        ("chmod", { try file.changeMode(0o600) }),
        ("chown", { try file.changeOwner(1, 1) }),
        ("utimens", { try file.setTimes(0) }),
        ("mkdir", { try (bucket / "new").makeFolder() }),
        ("rmdir", { try (bucket / "d").removeFolder() }),
        ("symlink", { try (bucket / "new").makeSymbolicLink(to: "f.txt") }),
        ("mkfifo", { try (bucket / "new").makeFIFO() }),
      ]
      for (name, change) in changes {
        #expect(throws: Errno.readOnlyFileSystem, "\(name)") { try change() }
      }
      bucket.unmount()
      #expect(try Tree(bucket.backing).differences(from: before) == [])
    }
  }
}
