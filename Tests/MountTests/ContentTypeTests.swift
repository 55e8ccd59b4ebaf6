import SystemCalls
import TestSupport
import Testing

/// The content type that follows from the name, and the one that was set.
@Suite struct ContentTypeTests {
  @Test(arguments: [
    ("index.html", "text/html"), ("INDEX.HTML", "text/html"), ("photo.JpEg", "image/jpeg"),
    ("x.tar.gz", "application/gzip"),
    ("style.css", "text/css"), ("data.json", "application/json"), ("film.mp4", "video/mp4"),
    ("font.woff2", "font/woff2"),
    ("noextension", "application/octet-stream"), (".bashrc", "application/octet-stream"),
    (".config.json", "application/json"), ("trailing.", "application/octet-stream"),
    ("unknown.zzzzz", "application/octet-stream"), ("folder.html.zzzzz", "application/octet-stream"),
  ])
  func theTypeFollowsFromTheName(name: String, type: String) throws {
    try MountedBucket.with { bucket in
      let file = bucket.mountpoint / Path(name)
      try file.write("x")
      for access in Access.allCases { #expect(try access.reach(file).attribute("contentType") == type, "\(access)") }
    }
  }

  @Test func theDerivedTypeFollowsRenamesAndTheExplicitOneStays() throws {
    try MountedBucket.with { bucket in
      try (bucket / "i.html").write("x")
      let file = try OpenFile(bucket / "i.html")
      #expect(try file.attribute("contentType") == "text/html")
      try (bucket / "i.html").rename(to: bucket / "i.txt")
      #expect(try (bucket / "i.txt").attribute("contentType") == "text/plain")
      #expect(try file.attribute("contentType") == "text/plain")
      try (bucket / "i.txt").rename(to: bucket / "i.jpg")
      #expect(try (bucket / "i.jpg").attribute("contentType") == "image/jpeg")
      #expect(try file.attribute("name") == "i.jpg")
      try (bucket / "i.jpg").set("contentType", "application/x-own")
      try (bucket / "i.jpg").rename(to: bucket / "i.png")
      #expect(try (bucket / "i.png").attribute("contentType") == "application/x-own")
      #expect(try file.attribute("contentType") == "application/x-own")
    }
  }

  @Test(arguments: Access.allCases) func aRemovedTypeIsAbsentUntilItIsSetAgain(access: Access) throws {
    try MountedBucket.with { bucket in
      let path = bucket / "page.html"
      try path.write("x")
      do {
        // Closed before the mount ends.
        let file = try access.reach(path)
        try file.remove("contentType")
        #expect(throws: Errno.noData) { try file.attribute("contentType") }
        #expect(throws: Errno.noData) { try file.remove("contentType") }
        #expect(throws: Errno.noData) { try file.set("contentType", "a/b", flags: AttributeFlags.replace) }
        #expect(try file.attributeNames() == [])
      }

      // The removal is kept by overwriting, renaming and mounting again.
      try path.write("another content")
      #expect(throws: Errno.noData) { try path.attribute("contentType") }
      try path.rename(to: bucket / "page.txt")
      #expect(throws: Errno.noData) { try (bucket / "page.txt").attribute("contentType") }
      try bucket.remount()
      let renamed = bucket / "page.txt"
      #expect(throws: Errno.noData) { try renamed.attribute("contentType") }
      try renamed.set("contentType", "text/css", flags: AttributeFlags.create)
      #expect(try renamed.attribute("contentType") == "text/css")
    }
  }

  @Test func namesThatDifferInBytesAloneAreDifferentObjects() throws {
    try MountedBucket.with { bucket in
      let names = [
        Array("caf\u{e9}.txt".utf8), Array("cafe\u{301}.txt".utf8), [0x63, 0x61, 0x66, 0xe9] + Array(".txt".utf8),
      ]
      for (number, name) in names.enumerated() {
        let file = bucket.mountpoint / Path(bytes: name)
        try file.write("content \(number)")
        try file.set("number", "\(number)")
      }
      for (number, name) in names.enumerated() {
        let file = bucket.mountpoint / Path(bytes: name)
        #expect(try file.text() == "content \(number)")
        #expect(try file.attribute("number") == "\(number)")
        #expect(try file.attributeBytes(Array("user.fullPath".utf8)) == name)
        #expect(try file.attribute("contentType") == "text/plain")
      }
      #expect(try bucket.backing.entries().filter { $0 != ".bucketfs" }.count == 3)
    }
  }
}
