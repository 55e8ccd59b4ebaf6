import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Backing directories that are no ordinary filesystem.
@Suite struct OddBackingTests {
  /// What has to work anywhere, with root's mount.
  private func work(_ bucket: MountedBucket) throws {
    let file = bucket / "page.html"
    try file.write("hello")
    #expect(try file.text() == "hello")
    #expect(try file.attribute("contentType") == "text/html")
    try file.set("contentType", "text/plain")
    try file.set("colour", "red")
    try file.append(" world")
    #expect(try file.attribute("contentType") == "text/plain")
    let open = try OpenFile(file, O_RDWR)
    let second = try OpenFile(file)
    try open.write(bytes: Array("HELLO".utf8), at: 0)
    #expect(try second.read(11) == Array("HELLO world".utf8))
    try open.store(Array("Hello".utf8))
    #expect(try second.read(11) == Array("Hello world".utf8))
    try open.close()
    try second.close()
    try file.rename(to: bucket / "moved.txt")
    #expect(try (bucket / "moved.txt").attributes().count == 2)
    try Shell.expect(
      """
      mkdir -p d/e; for i in $(seq 50); do echo $i >d/e/$i; done; cp -a d copy; diff -r d copy; ln d/e/1 d/link
      mv d/e f; rm -r d copy f; ls
      """, in: bucket.mountpoint)
    try bucket.remount()
    #expect(try (bucket / "moved.txt").attribute("colour") == "red")
    #expect(try (bucket / "moved.txt").text() == "Hello world")
  }

  @Test func anOverlayWorksAndTheLogSaysHowDataGoes() throws {
    try BackingFileSystem.tmpfs.with { place in
      try TemporaryDirectory.with { folder in
        let overlay = folder / "overlay"
        try Shell.expect(
          """
          mkdir -p lower/bucket upper work; echo lower >lower/bucket/below
          setfattr -n user.of -v lower lower/bucket/below
          """, in: place)
        try overlay.makeFolder()
        try Shell.expect(
          "mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay \(overlay.quoted)", in: place)
        defer { Mounts.unmount(overlay) }
        try MountedBucket.with(at: overlay / "bucket") { bucket in
          try work(bucket)
          // A copy-up in the middle: the file changes its place, not its name, and keeps what it had.
          let below = bucket / "below"
          #expect(try below.text() == "lower\n")
          let early = try OpenFile(below)
          try below.append("upper\n")
          #expect(try below.text() == "lower\nupper\n")
          #expect(try below.attribute("of") == "lower")
          try below.set("of", "upper")
          #expect(try below.attribute("of") == "upper")
          try early.close()
          #expect(bucket.log.split(separator: "\n").filter { $0.contains("passthrough") }.count <= 1)
        }
      }
    }
  }

  @Test func anotherFUSEFilesystemWorks() throws {
    try TemporaryDirectory.with { folder in
      let other = folder / "bindfs"
      try (folder / "real").makeFolder()
      try other.makeFolder()
      try Shell.expect("bindfs real bindfs", in: folder)
      defer { Mounts.unmount(other) }
      try MountedBucket.with(at: other / "bucket") { bucket in
        try work(bucket)
        #expect(bucket.log.split(separator: "\n").filter { $0.contains("passthrough") }.count <= 1)
      }
    }
  }

  @Test func aBucketIsNoBackingDirectoryOfAnother() throws {
    try MountedBucket.with { inner in
      try (inner / "f").write("text")
      try TemporaryDirectory.with { folder in
        let mountpoint = folder / "mount"
        try mountpoint.makeFolder()
        let outcome = try Shell.run(
          [MountedBucket.executable, "mount", inner.mountpoint.description, mountpoint.description])
        // Either it works like any FUSE filesystem or it is refused in one line; never half of it.
        if outcome.status == 0 {
          #expect(try (mountpoint / "f").text() == "text")
          Mounts.unmount(mountpoint)
        } else {
          #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
        }
      }
    }
  }

  @Test func aFilesystemThatGetsFullSaysSoAndGoesOn() throws {
    try MountedBucket.with(on: .tmpfs) { bucket in
      let file = bucket / "f"
      try file.write("kept")
      try file.set("colour", "red")
      let outcome = try Shell.bash("head -c 100M /dev/zero >big", in: bucket.mountpoint)
      #expect(outcome.errors.contains("No space left"))
      #expect(try file.attribute("colour") == "red")
      try (bucket / "big").unlink()
      // The last close of a file, which gives its blocks back, is told to the daemon some time after close(2).
      for _ in 0..<100 where (try? (bucket / "small").write("again")) == nil { usleep(10_000) }
      #expect(try (bucket / "small").text() == "again")
    }
  }
}
