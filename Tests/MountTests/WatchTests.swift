import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// With `-o watch=auto` the kernel may trust what it knows for an hour, and what others change in the backing directory
/// shows all the same.
@Suite("A watched bucket", .enabled(if: System.effectiveUser == 0))
struct WatchTests {
  private static let options = MountOptions([
    "watch=auto", "attr_timeout=3600", "entry_timeout=3600", "negative_timeout=3600",
  ])

  /// Waits until `condition` holds: 100 ms, and seconds more for a busy machine, but nowhere near an hour.
  private func soon(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
  ) rethrows {
    for _ in 0..<1000 {
      if try condition() { return }
      usleep(5_000)
    }
    Issue.record("\(what): not seen within 5 seconds", sourceLocation: sourceLocation)
  }

  private func number(_ member: String, of bucket: MountedBucket) throws -> Int {
    let status = try bucket.mountpoint.attribute("bucketfs.status")
    let start = try #require(status.firstRange(of: "\"\(member)\":")).upperBound
    return try #require(Int(status[start...].prefix { $0.isNumber }))
  }

  /// Mounts a bucket on a filesystem on which nobody else is at work.
  private func withQuietBucket(_ body: (MountedBucket) throws -> Void) throws {
    try TemporaryDirectory.with { folder in
      try Shell.expect("mkdir quiet; mount -t tmpfs bucketfs-test quiet; mkdir quiet/bucket", in: folder)
      defer { umount2("\(folder / "quiet")", Int32(MNT_DETACH)) }
      try MountedBucket.with(Self.options, at: folder / "quiet/bucket", body)
    }
  }

  @Test("shows what is made, changed and removed there")
  func files() throws {
    try MountedBucket.with(Self.options) { bucket in
      let file = bucket / "f"
      let behind = bucket.backing / "f"
      #expect(!file.exists)
      #expect(try bucket.mountpoint.entries() == [])
      #expect(try bucket.mountpoint.attribute("bucketfs.status").contains("\"watch\":true"))
      try behind.write("first")
      soon("a new file") { file.exists }
      try soon("its name in the list") { try bucket.mountpoint.entries() == ["f"] }
      #expect(try file.status().size == 5)
      try behind.write("second, longer")
      try soon("new content") { try file.status().size == 14 }
      #expect(try file.text() == "second, longer")
      let open = try OpenFile(behind, O_RDWR)
      try open.truncate(to: 4)
      try open.close()
      try soon("the cut") { try file.status().size == 4 }
      #expect(try file.text() == "seco")
      try behind.changeMode(0o640)
      try soon("the mode") { try file.status().permissions == 0o640 }
      try behind.changeOwner(12, 34)
      try soon("the owner") { try file.status().owner == 12 }
      try behind.setTimes(1_000_000_000_123_456_789)
      try soon("the time") { try file.status().modified == 1_000_000_000_123_456_789 }
      let changed = try file.status().changed
      try Shell.expect("setfattr -n user.colour -v red f", in: bucket.backing)
      try soon("the attribute's time") { try file.status().changed > changed }
      try (bucket.backing / "g").write("a replacement")
      soon("its own name") { (bucket / "g").exists }
      try (bucket.backing / "g").rename(to: behind)
      try soon("the replacement") { try file.status().size == 13 }
      soon("the free name") { !(bucket / "g").exists }
      #expect(try file.text() == "a replacement")
      try behind.rename(to: bucket.backing / "h")
      soon("the new name") { (bucket / "h").exists }
      soon("the old name's absence") { !file.exists }
      try (bucket.backing / "h").unlink()
      soon("the removal") { !(bucket / "h").exists }
      try soon("the empty list") { try bucket.mountpoint.entries() == [] }
    }
  }

  @Test("shows whole folders that are made, renamed and removed there")
  func folders() throws {
    try MountedBucket.with(Self.options) { bucket in
      try Shell.expect("mkdir -p a/deep; echo text >a/deep/f", in: bucket.backing)
      soon("the folder") { (bucket / "a/deep/f").exists }
      #expect(!(bucket / "b").exists)
      let open = try OpenFile(bucket / "a/deep/f")
      try (bucket.backing / "a").rename(to: bucket.backing / "b")
      soon("the new name") { (bucket / "b/deep/f").exists }
      soon("the old name's absence") { !(bucket / "a").exists }
      #expect(try (bucket / "b/deep/f").attribute("fullPath") == "b/deep/f")
      #expect(try open.attribute("fullPath") == "b/deep/f")
      try (bucket.backing / "b").changeMode(0o711)
      try soon("the folder's mode") { try (bucket / "b").status().permissions == 0o711 }
      try Shell.expect("rm -r b; mkdir b; echo new >b/deep", in: bucket.backing)
      soon("a file where a folder was") { (try? (bucket / "b/deep").text()) == "new\n" }
      try Shell.expect("rm -r b; ln -s target b", in: bucket.backing)
      soon("a symlink where a folder was") { (try? Shell.expect("readlink b", in: bucket.mountpoint)) == "target" }
      #expect(try open.read(4) == Array("text".utf8), "what is open stays")
    }
  }

  @Test("knows by which of its names a file is used that was linked there")
  func links() throws {
    try MountedBucket.with(Self.options) { bucket in
      try (bucket / "one.html").write("text")
      #expect(try (bucket / "one.html").attribute("name") == "one.html")
      try Shell.expect("ln one.html two.txt", in: bucket.backing)
      try soon("two links") { try (bucket / "one.html").status().links == 2 }
      try soon("the type by each name") {
        try (bucket / "two.txt").attribute("contentType") == "text/plain"
          && (bucket / "one.html").attribute("contentType") == "text/html"
      }
      #expect(try (bucket / "two.txt").attribute("name") == "two.txt")
      try (bucket.backing / "one.html").unlink()
      soon("one name less") { !(bucket / "one.html").exists }
      try soon("one link less") { try (bucket / "two.txt").status().links == 1 }
      #expect(try (bucket / "two.txt").attribute("name") == "two.txt")
    }
  }

  @Test("shows size and time of what was just written through it")
  func own() throws {
    try MountedBucket.with(Self.options) { bucket in
      let file = bucket / "f"
      for round in 1...50 {
        try file.write(String(repeating: "x", count: round))
        let own = try file.status()
        let backing = try (bucket.backing / "f").status()
        #expect(own.size == UInt64(round))
        #expect(own.modified == backing.modified)
      }
      // Stored through a mapping, of which the kernel tells the mount nothing.
      try file.write(String(repeating: "x", count: 4096))
      _ = try file.status()
      let mapped = try OpenFile(file, O_RDWR)
      try mapped.store(Array("yy".utf8))
      try mapped.close()
      try soon("the time of what was mapped") {
        try file.status().modified == (bucket.backing / "f").status().modified
      }
    }
  }

  @Test("has the kernel forget what was changed, and nothing else")
  func counts() throws {
    try withQuietBucket { bucket in
      try Shell.expect("mkdir d; cd d; seq 100 | xargs touch", in: bucket.backing)
      try Shell.expect("ls -lR . >/dev/null", in: bucket.mountpoint)
      usleep(300_000)
      let attributes = try number("attributesForgotten", of: bucket)
      let names = try number("namesForgotten", of: bucket)
      // Reading there, what the mount itself does, and changes beside the bucket.
      try Shell.expect("cat d/* >/dev/null; ls -lR . >/dev/null", in: bucket.backing)
      try Shell.expect(
        "mkdir e; for i in $(seq 50); do mv d/$i e/$i; chmod 600 e/$i; setfattr -n user.k -v v e/$i; done; rm -r e",
        in: bucket.mountpoint)
      try Shell.expect("mkdir beside; echo text >beside/f; mv beside/f f; rm -r beside f", in: bucket.backing.folder)
      usleep(300_000)
      #expect(try number("watchOverflows", of: bucket) == 0)
      #expect(try number("attributesForgotten", of: bucket) == attributes)
      #expect(try number("namesForgotten", of: bucket) == names)
      // One file: its attributes, and once more where the kernel does not know them by then.
      try (bucket.backing / "d/100").changeMode(0o600)
      try soon("the mode") { try (bucket / "d/100").status().permissions == 0o600 }
      usleep(200_000)
      #expect((1...2).contains(try number("attributesForgotten", of: bucket) - attributes))
      #expect(try number("namesForgotten", of: bucket) == names)
      // Writers of the mount's own: once at the release, and once since somebody else closed the backing file.
      let before = try number("attributesForgotten", of: bucket)
      for number in 51...70 { try (bucket / Path("d/\(number)")).write("text") }
      usleep(300_000)
      #expect(try number("attributesForgotten", of: bucket) - before <= 60)
      #expect(try number("namesForgotten", of: bucket) == names)
    }
  }

  @Test("has the kernel forget everything when it misses changes")
  func overflow() throws {
    try withQuietBucket { bucket in
      try Shell.expect("mkdir d; cd d; seq 20000 | xargs touch", in: bucket.backing)
      #expect(try (bucket / "d").entries().count == 20000)
      #expect(try (bucket / "d/20000").status().size == 0)
      #expect(!(bucket / "d/missing").exists)
      kill(bucket.pid, SIGSTOP)
      defer { kill(bucket.pid, SIGCONT) }
      // More than the kernel keeps; the last are lost.
      try Shell.expect(
        "cd d; seq 20000 | xargs chmod 600; echo text >20000; mv 19999 moved; echo text >missing", in: bucket.backing)
      kill(bucket.pid, SIGCONT)
      try soon("the content") { try (bucket / "d/20000").status().size == 5 }
      soon("the moved file") { !(bucket / "d/19999").exists && (bucket / "d/moved").exists }
      soon("the new file") { (bucket / "d/missing").exists }
      #expect(try number("watchOverflows", of: bucket) > 0)
    }
  }

  @Test("watches what is mounted below the backing directory", arguments: [true, false])
  func mounted(before: Bool) throws {
    try TemporaryDirectory.with { folder in
      let backing = folder / "bucket"
      try backing.makeFolder()
      try (backing / "m").makeFolder()
      let mount = "mount -t tmpfs -o size=1m bucketfs-test \(backing / "m")"
      if before { try Shell.expect(mount) }
      defer { umount2("\(backing / "m")", Int32(MNT_DETACH)) }
      try MountedBucket.with(Self.options, at: backing) { bucket in
        #expect(try (bucket / "m").entries() == [])
        #expect(!(bucket / "m/f").exists)
        if !before { try Shell.expect(mount) }
        try (backing / "m/f").write("text")
        soon("a file on the other filesystem") { (bucket / "m/f").exists }
        try (backing / "m/f").write("other text")
        try soon("its new size") { try (bucket / "m/f").status().size == 10 }
        try (backing / "m/f").unlink()
        soon("its removal") { !(bucket / "m/f").exists }
        try Shell.expect("umount -l \(backing / "m")")
        try (backing / "m/g").write("below")
        soon("what lay below it") { (bucket / "m/g").exists }
      }
    }
  }

  @Test("trusts nothing for long without a watch")
  func refusals() throws {
    for option in ["attr_timeout=5", "entry_timeout=1.5", "negative_timeout=3600"] {
      let failure = #expect(throws: MountFailure.self) { try MountedBucket.with(MountOptions([option])) { _ in } }
      #expect(failure?.status == 2)
      #expect(failure?.log.contains("watch=auto") == true)
    }
    // An overlay's files cannot be told by their handles.
    try TemporaryDirectory.with { folder in
      try Shell.expect("mkdir lower upper work over", in: folder)
      try Shell.expect("mount -t overlay bucketfs-test -o lowerdir=lower,upperdir=upper,workdir=work over", in: folder)
      defer { umount2("\(folder / "over")", Int32(MNT_DETACH)) }
      try MountedBucket.with(Self.options, at: folder / "over") { bucket in
        #expect(bucket.log.split(separator: "\n").filter { $0.contains("watch") }.count == 1, "\(bucket.log)")
        let status = try bucket.mountpoint.attribute("bucketfs.status")
        #expect(status.contains("\"watch\":false"))
        #expect(status.contains("\"attributeTimeout\":1000"))
        #expect(status.contains("\"watchRefused\":"))
        try (bucket / "f").write("text")
        try (folder / "over/f").write("other text")
        try soon("the new size") { try (bucket / "f").status().size == 10 }
      }
    }
  }
}
