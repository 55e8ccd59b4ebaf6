import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Others work in the backing directory while the bucket is mounted.
@Suite struct OutsideChangeTests {
  /// Waits until `condition` holds, as long as attributes and names may be old: a second, and some for a busy machine.
  private func soon(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
  ) rethrows {
    for _ in 0..<150 {
      if try condition() { return }
      usleep(10_000)
    }
    Issue.record("\(what): not seen within 1.5 seconds", sourceLocation: sourceLocation)
  }

  @Test func whatIsMadeThereShowsThoughItWasMissingBefore() throws {
    try MountedBucket.with { bucket in
      #expect(!(bucket / "new").exists)
      #expect(try bucket.mountpoint.entries() == [])
      try (bucket.backing / "new").write("text")
      try (bucket.backing / "folder").makeFolder()
      try (bucket.backing / "folder/inner").write("inner")
      soon("a new file") { (bucket / "new").exists }
      try soon("new names in the list") { try bucket.mountpoint.entries() == ["folder", "new"] }
      #expect(try (bucket / "new").text() == "text")
      #expect(try (bucket / "new").attribute("size") == "4")
      #expect(try (bucket / "folder/inner").text() == "inner")
    }
  }

  @Test func contentThatIsChangedThereShowsAtTheNextOpen() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("first")
      try file.set("contentType", "text/x-first")
      _ = try file.attribute("md5Hash")
      for text in ["second, longer", "3rd", "another one"] {
        let generation = try #require(try Int64(file.attribute("generation")))
        try (bucket.backing / "f").write(text)
        #expect(try file.attribute("size") == "\(text.utf8.count)")
        #expect(try file.attribute("md5Hash") == Shell.expect("openssl md5 -binary <f | base64", in: bucket.backing))
        #expect(try #require(Int64(file.attribute("generation"))) > generation)
        #expect(try file.attribute("contentType") == "text/x-first")
        try soon("the new size") { try file.status().size == UInt64(text.utf8.count) }
        #expect(try file.text() == text)
      }
      try (bucket.backing / "f").truncate(to: 4)
      #expect(try file.attribute("size") == "4")
      try soon("the cut content") { try file.text() == "anot" }
      try (bucket.backing / "f").changeMode(0o600)
      try soon("the new mode") { try file.status().permissions == 0o600 }
      try (bucket.backing / "f").setTimes(1_000_000_000_123_456_789)
      try soon("the new time") { try file.status().modified == 1_000_000_000_123_456_789 }
    }
  }

  @Test func anOpenFileReadsWhatIsWrittenThere() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("before....")
      let file = try OpenFile(bucket / "f")
      #expect(try file.read(6) == Array("before".utf8))
      let other = try OpenFile(bucket.backing / "f", O_RDWR)
      try other.write(bytes: Array("after!".utf8), at: 0)
      // With passthrough the pages are the backing file's own; without, they are read again at the next open.
      if !bucket.log.contains("passthrough") { #expect(try file.read(6) == Array("after!".utf8)) }
      #expect(try (bucket / "f").text() == "after!....")
    }
  }

  @Test func nothingTellsOfAFileThatIsGone() throws {
    try MountedBucket.with { bucket in
      for round in 1...20 {
        let file = bucket / "f"
        try file.write("old")
        try file.set("contentType", "text/x-old")
        try file.set("round", "\(round)")
        try (bucket.backing / "f").unlink()
        // A close returns before the daemon hears of it: until then the file counts as open, and answers.
        soon("the close") { (try? file.attribute("contentType")) == nil }
        #expect(throws: (any Error).self) { try file.attribute("round") }
        #expect(throws: (any Error).self) { try file.attribute("size") }
        soon("the removal") { !file.exists }
        try (bucket.backing / "f").write("a new one")
        soon("the new file") { file.exists }
        #expect(try file.attribute("size") == "9")
        #expect(try file.attributeNames() == [])
        try (bucket.backing / "f").unlink()
        soon("the removal") { !file.exists }
      }
    }
  }

  @Test func aReplacedFileShowsTheNewOnesMetadataAtOnce() throws {
    try MountedBucket.with { bucket in
      for (name, text) in [("f", "old"), ("other", "other text")] {
        try (bucket / Path(name)).write(text)
        try (bucket / Path(name)).set("contentType", "text/x-\(name)")
      }
      #expect(try (bucket / "f").attribute("contentType") == "text/x-f")
      try (bucket.backing / "other").rename(to: bucket.backing / "f")
      #expect(try (bucket / "f").attribute("contentType") == "text/x-other")
      #expect(try (bucket / "f").attribute("size") == "10")
      try soon("the new content") { try (bucket / "f").text() == "other text" }
      soon("the old name's absence") { !(bucket / "other").exists }
    }
  }

  @Test func whatIsRenamedThereIsFoundUnderItsNewName() throws {
    try MountedBucket.with { bucket in
      try (bucket / "a").makeFolder()
      try (bucket / "a/f.html").write("text")
      try (bucket / "a/f.html").set("colour", "red")
      let open = try OpenFile(bucket / "a/f.html")
      try (bucket.backing / "a/f.html").rename(to: bucket.backing / "a/g.txt")
      soon("the new name") { (bucket / "a/g.txt").exists }
      soon("the old name's absence") { !(bucket / "a/f.html").exists }
      #expect(try (bucket / "a/g.txt").attribute("contentType") == "text/plain")
      #expect(try (bucket / "a/g.txt").attribute("fullPath") == "a/g.txt")
      #expect(try open.attribute("fullPath") == "a/g.txt")
      try (bucket.backing / "a").rename(to: bucket.backing / "b")
      soon("the folder's new name") { (bucket / "b/g.txt").exists }
      #expect(try (bucket / "b/g.txt").attribute("fullPath") == "b/g.txt")
      #expect(try open.attribute("fullPath") == "b/g.txt")
      #expect(try (bucket / "b/g.txt").attribute("colour") == "red")
      try Shell.expect("rm -r b", in: bucket.backing)
      soon("the folder's absence") { !(bucket / "b").exists }
      #expect(try open.read(4) == Array("text".utf8))
    }
  }

  @Test func aFileBecomesAFolderAndAFolderAFile() throws {
    try MountedBucket.with { bucket in
      try (bucket / "x").write("file")
      try (bucket / "y").makeFolder()
      try Shell.expect("rm x; mkdir x; echo inner >x/f; rmdir y; echo file >y", in: bucket.backing)
      soon("the folder") { (try? (bucket / "x").status().isDirectory) == true }
      soon("the file") { (try? (bucket / "y").text()) == "file\n" }
      #expect(try (bucket / "x").entries() == ["f"])
      #expect(try (bucket / "x/f").text() == "inner\n")
    }
  }

  @Test func aTreeIsReplacedUnderAWalk() throws {
    try MountedBucket.with { bucket in
      try Shell.expect(
        """
        mkdir t; for i in $(seq 200); do echo $i >t/$i; done
        """, in: bucket.backing)
      let walk = try Program(
        ["bash", "-c", "for i in $(seq 60); do find . -type f -exec cat {} + ; getfattr -R -d . ; done; true"],
        in: bucket.mountpoint)
      try Shell.expect(
        """
        for i in $(seq 20); do cp -r t u; rm -r t; mv u t; touch t/$i; sleep 0.02; done
        """, in: bucket.backing)
      #expect(walk.wait(seconds: 60) == 0)
      try soon("everything") { try (bucket / "t").entries().count == 200 }
    }
  }
}
