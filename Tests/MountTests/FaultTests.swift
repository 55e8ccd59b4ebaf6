import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// What the system refuses for a time: whoever asked hears of it, nothing is lost, and afterwards all is well.
@Suite(.serialized) struct FaultTests {
  private static let long = String(repeating: "v", count: 3900)

  /// That an object has what it had, and takes what it is given.
  private func expectWell(_ bucket: MountedBucket, colour: String = "red") throws {
    let file = bucket / "f"
    #expect(try file.text() == "kept")
    #expect(try file.attribute("colour") == colour)
    try file.set("colour", "blue")
    try (bucket / "after").write("again")
    try (bucket / "after").set("a", Self.long)
    try (bucket / "after").set("b", Self.long)
    #expect(try (bucket / "after").text() == "again")
    #expect(try (bucket / "after").attribute("b") == Self.long)
    try (bucket / "after").unlink()
    try file.set("colour", colour)
  }

  private func furnish(_ bucket: MountedBucket) throws {
    try (bucket / "f").write("kept")
    try (bucket / "f").set("colour", "red")
  }

  @Test(arguments: [Caller.root, .nobody]) func aFullDisk(caller: Caller) throws {
    try MountedBucket.with(on: .ext4) { bucket in
      try bucket.backing.changeMode(0o777)
      try furnish(bucket)
      let mine = bucket / "mine"
      try caller.run {
        try mine.write("mine")
        try mine.set("a", Self.long)
      }
      for (name, block) in [("big", "64k"), ("rest", "1k")] {
        let filling = try Shell.run(
          ["dd", "if=/dev/zero", "of=\(bucket / Path(name))", "bs=\(block)", "status=none"], as: caller)
        #expect(filling.errors.contains("No space left"), "\(filling)")
      }
      try caller.run {
        // Neither the xattr nor a file of its own has room for it.
        #expect(throws: Errno.noSpace) { try mine.set("b", Self.long) }
        #expect(try mine.attributes() == ["user.a": Array(Self.long.utf8)])
        #expect(try mine.attribute("metageneration") == "2")
        #expect(try mine.text() == "mine")
        for name in ["big", "rest"] as [Path] { try (bucket / name).unlink() }
        for _ in 0..<200 where (try? mine.set("b", Self.long)) == nil { usleep(10_000) }
        #expect(try mine.attribute("b") == Self.long)
      }
      try expectWell(bucket)
    }
  }

  @Test func aQuotaOfBtrfs() throws {
    try BackingFileSystem.btrfs.with(megabytes: 256) { root in
      try Shell.expect(
        """
        btrfs quota enable .; btrfs subvolume create bucket >/dev/null; btrfs qgroup limit 16M bucket
        """, in: root)
      try MountedBucket.with(at: root / "bucket") { bucket in
        try furnish(bucket)
        let filling = try Shell.run([
          "dd", "if=/dev/urandom", "of=\(bucket / "big")", "bs=64k", "count=1024", "status=none",
        ])
        #expect(filling.errors.contains("quota exceeded"), "\(filling)")
        #expect(try (bucket / "f").attribute("colour") == "red")
        #expect(try (bucket / "f").text() == "kept")
        try Shell.expect("btrfs qgroup limit none bucket", in: root)
        try expectWell(bucket)
      }
    }
  }

  @Test func aFilesystemThatIsRemountedReadOnly() throws {
    try BackingFileSystem.ext4.with { root in
      try MountedBucket.with(at: root / "bucket") { bucket in
        try furnish(bucket)
        // The kernel refuses while a file is open for writing, which the lock of changes stays.
        try bucket.remount()
        try Shell.expect("mount -o remount,ro \(root)")
        let file = bucket / "f"
        #expect(throws: Errno.readOnlyFileSystem) { try file.set("colour", "blue") }
        #expect(throws: Errno.readOnlyFileSystem) { try file.remove("colour") }
        #expect(throws: Errno.readOnlyFileSystem) { try file.append("x") }
        #expect(throws: Errno.readOnlyFileSystem) { try (bucket / "new").write("x") }
        #expect(throws: Errno.readOnlyFileSystem) { try file.rename(to: bucket / "g") }
        #expect(throws: Errno.readOnlyFileSystem) { try file.unlink() }
        #expect(try file.text() == "kept")
        #expect(try file.attribute("colour") == "red")
        try Shell.expect("mount -o remount,rw \(root)")
        try expectWell(bucket)
        #expect(try file.attribute("metageneration") == "4")
      }
    }
  }

  @Test func aFilesystemThatBreaks() throws {
    try BackingFileSystem.ext4.with { root in
      try MountedBucket.with(at: root / "bucket") { bucket in
        try furnish(bucket)
        try Shell.expect("sync -f .; xfs_io -x -c shutdown .", in: root)
        #expect(throws: Errno.ioError) { try (bucket / "f").set("colour", "blue") }
        #expect(throws: (any Error).self) { try (bucket / "new").write("x") }
        // The daemon lives, and says what it can.
        #expect(throws: Never.self) { _ = try bucket.mountpoint.attribute("bucketfs.status") }
      }
    }
  }

  @Test func aBackingDirectoryThatIsRemoved() throws {
    try MountedBucket.with { bucket in
      try furnish(bucket)
      let open = try OpenFile(bucket / "f", O_RDONLY)
      try Shell.expect("rm -r \(bucket.backing.quoted)")
      usleep(1_100_000)
      #expect(throws: Errno.noSuchFileOrDirectory) { try (bucket / "f").text() }
      #expect(throws: Errno.noSuchFileOrDirectory) { try (bucket / "new").write("x") }
      #expect(try open.read(4) == Array("kept".utf8))
      #expect(try bucket.mountpoint.entries() == [])
      _ = try bucket.mountpoint.attribute("bucketfs.status")
      try open.close()
    }
  }

  @Test func descriptorsThatRunOut() throws {
    var options = MountOptions()
    options.descriptors = 128
    try MountedBucket.with(options) { bucket in
      try furnish(bucket)
      for number in 0..<400 { try (bucket.backing / "f\(number)").write("\(number)") }
      let opening = """
        import errno, os
        files, refused = [], 0
        for i in range(400):
          try: files.append(os.open("f%d" % i, os.O_RDONLY))
          except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE): raise
            refused += 1
        for file in files: os.read(file, 1)
        print(refused)
        """
      for _ in 0..<3 {
        let outcome = try Shell.run(["python3", "-c", opening], in: bucket.mountpoint)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try #require(Int(outcome.text)) > 200)
      }
      // Releases come some time after the close.
      for _ in 0..<200 where (try? (bucket / "f399").text()) != "399" { usleep(10_000) }
      for number in 0..<400 {
        #expect(try (bucket / "f\(number)").text() == "\(number)")
        try (bucket / "f\(number)").set("k", "v")
      }
      try expectWell(bucket)
    }
  }
}
