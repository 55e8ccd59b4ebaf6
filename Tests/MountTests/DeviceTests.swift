import Glibc
import SystemCalls
import TestSupport
import Testing

/// Other filesystems mounted below the backing directory.
@Suite struct DeviceTests {
  /// Mounts two tmpfs whose files have equal inode numbers, as `a` and `b` in the bucket's backing directory.
  private func withTwins(_ bucket: MountedBucket, _ body: () throws -> Void) throws {
    let folders = [bucket.backing / "a", bucket.backing / "b"]
    defer { for folder in folders { Mounts.unmount(folder, seconds: 0) } }
    for folder in folders {
      try folder.makeFolder()
      try Shell.expect("mount -t tmpfs -o mode=755,inode64 tmpfs \(folder.quoted)")
      for number in 1...20 { try (folder / "f\(number)").write("\(folder.lastComponent) \(number)") }
    }
    #expect(try (folders[0] / "f7").status().inode == (folders[1] / "f7").status().inode)
    try body()
  }

  @Test func filesOfTwoFilesystemsWithEqualInodeNumbersAreTwo() throws {
    try MountedBucket.with { bucket in
      try withTwins(bucket) {
        var seen: Set<UInt64> = []
        for folder in ["a", "b"] {
          for number in 1...20 {
            let file = bucket / "\(folder)/f\(number)"
            #expect(try file.text() == "\(folder) \(number)")
            let status = try file.status()
            #expect(seen.insert(status.inode).inserted, "\(file)")
            #expect(try file.status().inode == status.inode)
          }
        }
        try (bucket / "a/f7").set("of", "a")
        try (bucket / "b/f7").set("of", "b")
        #expect(try (bucket / "a/f7").attribute("of") == "a")
        #expect(try (bucket / "b/f7").attribute("fullPath") == "b/f7")
      }
    }
  }

  @Test func tarOfThemIsWhole() throws {
    try MountedBucket.with { bucket in
      try withTwins(bucket) {
        // The folders were made behind the mount's back: it may show the root's old times for a second.
        usleep(1_100_000)
        try TemporaryDirectory.with { other in
          try Shell.expect("tar cf - . | tar xf - -C \(other.quoted)", in: bucket.mountpoint)
          for folder in ["a", "b"] {
            for number in 1...20 {
              let copy = other / "\(folder)/f\(number)"
              #expect(try copy.text() == "\(folder) \(number)")
              #expect(try copy.status().links == 1)
            }
          }
        }
      }
    }
  }

  @Test func nothingIsRenamedOrLinkedFromOneToTheOther() throws {
    try MountedBucket.with { bucket in
      try withTwins(bucket) {
        #expect(throws: Errno.improperLink) { try (bucket / "a/f1").rename(to: bucket / "b/new") }
        #expect(throws: Errno.improperLink) { try (bucket / "a/f1").link(to: bucket / "b/new") }
        try Shell.expect("mv a/f1 b/new", in: bucket.mountpoint)
        #expect(try (bucket / "b/new").text() == "a 1")
      }
    }
  }

  @Test func theRootsOwnInodeNumbersAreShown() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      #expect(try (bucket / "f").status().inode == (bucket.backing / "f").status().inode)
    }
  }
}
