import SystemCalls
import TestSupport
import Testing

/// A new file put in an object's place takes over its metadata where the same program made it for that.
@Suite struct SafeSaveTests {
  /// A way to change the content of `page.html` from "hello" to "bye".
  struct Save: CustomTestStringConvertible, Sendable {
    var name: String
    var script: String
    var testDescription: String { name }

    init(_ name: String, _ script: String) {
      self.name = name
      self.script = script
    }
  }

  static let keeping = [
    Save("sed -i", "sed -i s/hello/bye/ page.html"),
    Save("sed -i.bak", "sed -i.bak s/hello/bye/ page.html"),
    Save("perl -i", "perl -i -pe s/hello/bye/ page.html"),
    Save("perl -i.bak", "perl -i.bak -pe s/hello/bye/ page.html"),
    Save("vim", "vim -N -u NONE -i NONE -es -c 'set bsk=' -c '%s/hello/bye/' -c wq page.html"),
    Save("vim in place", "vim -N -u NONE -i NONE -es -c 'set bsk= bkc=yes' -c '%s/hello/bye/' -c wq page.html"),
    Save("vim with a backup", "vim -N -u NONE -i NONE -es -c 'set bsk= bk bkc=no' -c '%s/hello/bye/' -c wq page.html"),
    Save("rsync", "echo bye > ../new; rsync -a ../new page.html"),
    Save(
      "os.replace", "python3 -c 'import os; open(\"t\", \"w\").write(\"bye\\n\"); os.replace(\"t\", \"page.html\")'"),
    Save(
      "create and rename on two threads",
      """
      python3 - <<END
      import os, threading
      made, renamed = threading.Event(), threading.Event()
      def make():
        open("t", "w").write("bye\\n")
        made.set()
        renamed.wait()
      def rename():
        made.wait()
        os.rename("t", "page.html")
        renamed.set()
      threads = [threading.Thread(target=work) for work in (make, rename)]
      for thread in threads: thread.start()
      for thread in threads: thread.join()
      END
      """),
  ]

  static let starting = [
    Save("another program's mv", "echo bye > t; mv t page.html; true"),
    Save("unlink and create", "rm page.html; echo bye > page.html"),
    Save("install", "echo bye > t; install -m 644 t page.html; rm t"),
    Save("rsync -X, which copies attributes itself", "echo bye > ../new; rsync -aX ../new page.html"),
    Save(
      "a program that listed the new file's attributes",
      """
      python3 - <<END
      import os
      open("t", "w").write("bye\\n")
      os.listxattr("t")
      os.rename("t", "page.html")
      END
      """),
  ]

  private func withPage(
    _ options: MountOptions = MountOptions(), _ body: (MountedBucket, Path) throws -> Void
  ) throws {
    try MountedBucket.with(options) { bucket in
      let page = bucket / "page.html"
      try page.write("hello\n")
      try page.set("cacheControl", "no-store")
      try page.set("contentType", "text/x-own")
      try page.set("location", "here")
      try body(bucket, page)
    }
  }

  private static let stored = ["user.cacheControl", "user.contentType", "user.location"]

  @Test(arguments: keeping) func metadataIsKept(save: Save) throws {
    try withPage { bucket, page in
      let generation = try #require(try Int64(page.attribute("generation")))
      let outcome = try Shell.bash(save.script, in: bucket.mountpoint)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try page.text() == "bye\n")
      #expect(try page.attributeNames() == Self.stored)
      #expect(try page.attribute("contentType") == "text/x-own")
      #expect(try page.attribute("location") == "here")
      #expect(try #require(Int64(page.attribute("generation"))) > generation)
    }
  }

  @Test(arguments: starting) func metadataStartsAnew(save: Save) throws {
    try withPage { bucket, page in
      let generation = try #require(try Int64(page.attribute("generation")))
      let outcome = try Shell.bash(save.script, in: bucket.mountpoint)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try page.text() == "bye\n")
      #expect(try page.attributeNames() == [])
      #expect(try page.attribute("contentType") == "text/html")
      #expect(try #require(Int64(page.attribute("generation"))) > generation)
    }
  }

  @Test func whatTheNewFileBringsItKeeps() throws {
    try withPage { bucket, page in
      try Shell.expect(
        """
        python3 - <<END
        import os
        open("t", "w").write("bye\\n")
        os.setxattr("t", "user.location", b"there")
        os.rename("t", "page.html")
        END
        """, in: bucket.mountpoint)
      #expect(try page.attributes() == ["user.location": Array("there".utf8)])
    }
  }

  @Test func aRemovedContentTypeIsTakenOverAsRemoved() throws {
    try withPage { bucket, page in
      try page.remove("contentType")
      try page.set("md5Hash", "AAECAwQFBgcICQoLDA0ODw==")
      try Shell.expect("sed -i s/hello/bye/ page.html", in: bucket.mountpoint)
      #expect(try page.attributeIfSet("contentType") == nil)
      #expect(try page.attributeNames() == ["user.cacheControl", "user.location"])
      #expect(
        try page.attribute("md5Hash") == Shell.expect("openssl md5 -binary page.html | base64", in: bucket.backing))
    }
  }

  @Test func keepTakesOverWhateverTheNewFileDidNotSet() throws {
    try withPage(MountOptions(["replace=keep"])) { bucket, page in
      try Shell.expect("echo bye > t; setfattr -n user.location -v there t; mv t page.html", in: bucket.mountpoint)
      #expect(try page.attributeNames() == Self.stored)
      #expect(try page.attribute("location") == "there")
      #expect(try page.attribute("cacheControl") == "no-store")
    }
  }

  @Test func dropTakesOverNothing() throws {
    try withPage(MountOptions(["replace=drop"])) { bucket, page in
      try Shell.expect("sed -i s/hello/bye/ page.html", in: bucket.mountpoint)
      #expect(try page.attributeNames() == [])
    }
  }

  @Test func aRenameThatFailsLeavesTheNewFileAsItWas() throws {
    try withPage { bucket, page in
      try Shell.expect(
        """
        mkdir -p folder/full
        python3 - <<END
        import os
        open("t", "w").write("bye\\n")
        try:
          os.rename("t", "folder")
        except IsADirectoryError:
          pass
        END
        """, in: bucket.mountpoint)
      #expect(try (bucket / "t").attributeNames() == [])
      #expect(try page.attributeNames() == Self.stored)
    }
  }

  @Test func aDaemonThatStartedInBetweenTakesOverNothing() throws {
    try withPage { bucket, page in
      let program = try Program(
        [
          "python3", "-u", "-c",
          """
          import os, sys, time
          path = os.path.abspath(".") + "/"
          os.chdir("/")
          open(path + "t", "w").write("bye\\n")
          print("made")
          while not os.path.exists(path + "go"): time.sleep(0.02)
          os.rename(path + "t", path + "page.html")
          """,
        ], in: bucket.mountpoint)
      while program.standardOutput.isEmpty, program.wait(seconds: 0.02) == nil {}
      try bucket.remount()
      try (bucket / "go").write("")
      #expect(program.wait(seconds: 10) == 0, "\(program.standardError)")
      #expect(try page.text() == "bye\n")
      #expect(try page.attributeNames() == [])
    }
  }
}
