import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Several names of one file: one set of metadata, each name its own type.
@Suite struct HardLinkTests {
  @Test func theTypeIsThatOfTheNameUsed() throws {
    try MountedBucket.with { bucket in
      let (html, text) = (bucket / "a.html", bucket / "b.txt")
      try html.write("x")
      try html.link(to: text)
      try html.set("location", "here")
      for _ in 0..<3 {
        #expect(try html.attribute("contentType") == "text/html")
        #expect(try text.attribute("contentType") == "text/plain")
        #expect(try html.attribute("name") == "a.html")
        #expect(try text.attribute("fullPath") == "b.txt")
      }
      #expect(try text.attribute("location") == "here")
      try text.set("contentType", "image/png")
      #expect(try html.attribute("contentType") == "image/png")
      #expect(try html.status().inode == text.status().inode)
      #expect(try html.status().links == 2)

      let file = try OpenFile(html)
      #expect(["a.html", "b.txt"].contains(try file.attribute("name")))
      try html.unlink()
      #expect(try file.attribute("name") == "b.txt")
      #expect(try text.attribute("location") == "here")
      #expect(try text.attribute("contentType") == "image/png")
      try text.unlink()
      #expect(throws: Errno.noData) { try file.attribute("name") }
      #expect(throws: Errno.noData) { try file.attribute("fullPath") }
      #expect(try file.attribute("location") == "here")
      #expect(try file.attribute("size") == "1")
    }
  }

  @Test func linksMadeInOneFolderAtOnceAreAnswered() throws {
    try MountedBucket.with { bucket in
      let outcome = try Shell.run(
        [
          "python3", "-c",
          """
          import os, threading
          def work(n):
            for i in range(150):
              open(f"{n}.{i}", "w").close()
              os.link(f"{n}.{i}", f"{n}.{i}.link")
              os.unlink(f"{n}.{i}")
          threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
          for thread in threads: thread.start()
          for thread in threads: thread.join()
          """,
        ], in: bucket.mountpoint, timeout: 60)
      #expect(outcome.isClean, "\(outcome)")
      #expect(try Shell.expect("ls | wc -l", in: bucket.mountpoint).contains("900"))
    }
  }

  @Test func linksThatWereThereBeforeTheMountAreKnownByTheirNames() throws {
    try MountedBucket.with(prepare: { backing in
      try (backing / "d").makeFolder()
      try (backing / "d/a.html").write("x")
      try (backing / "d/a.html").link(to: backing / "b.txt")
    }) { bucket throws in
      for _ in 0..<3 {
        #expect(try (bucket / "d/a.html").attribute("fullPath") == "d/a.html")
        #expect(try (bucket / "d/a.html").attribute("contentType") == "text/html")
        #expect(try (bucket / "b.txt").attribute("fullPath") == "b.txt")
        #expect(try (bucket / "b.txt").attribute("contentType") == "text/plain")
      }
    }
  }

  @Test func sizeAndModeShowThroughBothNamesAtOnce() throws {
    try MountedBucket.with { bucket in
      let (a, b) = (bucket / "a", bucket / "b")
      try a.write("x")
      try a.link(to: b)
      _ = try b.status()
      try a.append("yz")
      #expect(try b.status().size == 3)
      try a.changeMode(0o600)
      #expect(try b.status().permissions == 0o600)
      try b.truncate(to: 1)
      #expect(try a.status().size == 1)
    }
  }
}
