import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport
import Testing

@Suite("A custom entry as an xattr")
struct CustomViewTests {
  @Test("has a plain and a long name and is listed once")
  func names() throws {
    try ViewFixture.with { bucket in
      for object in [try bucket.make("f"), try bucket.makeFolder("d"), try bucket.root()] {
        try object.set("location", "Yosemite, CA, USA")
        #expect(try object.attribute("customMetadata.location") == "Yosemite, CA, USA")
        try object.set("customMetadata.location", "there")
        try object.set("customMetadata.size", "large")
        #expect(try object.attribute("location") == "there")
        #expect(try object.attributeNames() == ["user.customMetadata.size", "user.location"])
        #expect(throws: Errno.fileExists) { try object.set("location", "x", flags: AttributeFlags.create) }
        #expect(throws: Errno.noData) { try object.set("missing", "x", flags: AttributeFlags.replace) }
        #expect(throws: Errno.invalidArgument) { try object.set("location", "x", flags: AttributeFlags.both) }
        try object.set("location", "", flags: AttributeFlags.replace)
        #expect(try object.attribute("location") == "")
        #expect(try object.attributeSize("location") == 0)
        try object.remove("location")
        #expect(throws: Errno.noData) { try object.attribute("location") }
        #expect(throws: Errno.noData) { try object.remove("customMetadata.location") }
        try object.remove("customMetadata.size")
        #expect(try object.attributeNames() == [])
      }
    }
  }

  @Test("without a key is invalid", arguments: ["", "customMetadata."])
  func emptyKey(_ name: String) throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      #expect(throws: Errno.invalidArgument) { try object.attribute(name) }
      #expect(throws: Errno.invalidArgument) { try object.set(name, "v") }
      #expect(throws: Errno.invalidArgument) { try object.remove(name) }
    }
  }

  @Test("of any bytes comes back as it was, and JSON leaves it alone")
  func bytes() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      let values: [([UInt8], [UInt8])] = [
        ([0xff, 0xfe], [0x41]), (Array("nul".utf8), [0x61, 0, 0x62]), (Array("latin".utf8), [0xe9]),
        (Array("café".utf8), Array("Zürich ✓ %41".utf8)), (Array("cafe\u{301}".utf8), []),
      ]
      for (key, value) in values { try object.setAttribute(Array("user.".utf8) + key, value, flags: 0) }
      for (key, value) in values {
        #expect(try object.attributeBytes(Array("user.".utf8) + key) == value)
        #expect(try object.attributeBytes(Array("user.customMetadata.".utf8) + key) == value)
      }
      #expect(try object.attribute("customMetadata") == "{\"cafe\u{301}\":\"\",\"café\":\"Zürich ✓ %41\"}")
      #expect(throws: Errno.fileExists) { try object.set("customMetadata", "{}", flags: AttributeFlags.create) }
      try object.set("customMetadata", "{}", flags: AttributeFlags.replace)
      #expect(try object.attributeBytes([0x75, 0x73, 0x65, 0x72, 0x2e, 0xff, 0xfe]) == [0x41])
      #expect(throws: Errno.noData) { try object.attribute("customMetadata") }
      #expect(throws: Errno.noData) { try object.remove("customMetadata") }
      #expect(throws: Errno.noData) { try object.set("customMetadata", "{}", flags: AttributeFlags.replace) }
      #expect(throws: Errno.noData) { try object.attribute("café") }
      // Whoever names it writes it.
      try object.set("bucketfs.update", #"{"customMetadata":{"latin":null,"nul":"text"}}"#)
      #expect(try object.attribute("nul") == "text")
      #expect(try object.attributeBytes(Array("user.latin".utf8)) == [0xe9])
    }
  }

  @Test("is within its limits, and all of an object's are within theirs")
  func limits() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f")
      try object.set("key", String(repeating: "v", count: 4096))
      #expect(throws: Errno.argumentListTooLong) { try object.set("key", String(repeating: "v", count: 4097)) }
      try object.set("k2", String(repeating: "v", count: 8192 - 4099 - 2))
      #expect(throws: Errno.noSpace) { try object.set("k2", String(repeating: "v", count: 8192 - 4099 - 1)) }
      #expect(throws: Errno.noSpace) { try object.set("m", "") }
      #expect(throws: Errno.noSpace) {
        try object.set("bucketfs.update", #"{"customMetadata":{"m":""},"cacheControl":"no-store"}"#)
      }
      #expect(throws: Errno.noData) { try object.attribute("cacheControl") }
      try object.set("key", String(repeating: "v", count: 4095))
      try object.set("m", "")
      #expect(try object.attribute("metageneration") == "5")

      let long = String(repeating: "k", count: 1024)
      try object.set("customMetadata", "{\"\(long)\":\"x\"}")
      #expect(try object.attributeNames() == [])
      #expect(throws: Errno.argumentListTooLong) { try object.set("customMetadata", "{\"\(long)k\":\"x\"}") }
      #expect(try object.attribute("customMetadata") == "{\"\(long)\":\"x\"}")
      let value = String(repeating: "v", count: 4096)
      let full = "{\"a\":\"\(value)\",\"b\":\"\(value.dropLast(2))\"}"
      try object.set("customMetadata", full)
      #expect(throws: Errno.noSpace) {
        try object.set("customMetadata", "{\"a\":\"\(value)\",\"b\":\"\(value.dropLast(1))\"}")
      }
      #expect(try object.attribute("customMetadata") == full)
    }
  }

  @Test("of another program shows until a change takes it in")
  func plain() throws {
    try ViewFixture.with { bucket in
      let object = try bucket.make("f.html")
      for (name, value) in [
        ("xdg.origin.url", "https://x"), ("size", "theirs"), ("cacheControl", "no-store"), ("contentType", "broken"),
        ("md5Hash", Documented.writable[0].1), ("customMetadata", "{}"), ("customMetadata.x", "y"), ("bucketfs.x", "y"),
      ] {
        try object.path.set(name, value)
      }
      #expect(
        try object.attributeNames() == ["user.cacheControl", "user.customMetadata.size", "user.xdg.origin.url"])
      #expect(try object.attribute("xdg.origin.url") == "https://x")
      #expect(try object.attribute("size") == "11")
      #expect(try object.attribute("customMetadata.size") == "theirs")
      #expect(try object.attribute("cacheControl") == "no-store")
      #expect(try object.attribute("contentType") == "text/html")
      #expect(try object.attribute("md5Hash") == "XrY7u+Ae7tCTyyK7j1rNww==")
      #expect(throws: Errno.noData) { try object.attribute("customMetadata.x") }
      #expect(try object.attribute("customMetadata") == #"{"size":"theirs","xdg.origin.url":"https://x"}"#)
      #expect(throws: Errno.fileExists) { try object.set("xdg.origin.url", "x", flags: AttributeFlags.create) }
      try object.set("xdg.origin.url", "https://y", flags: AttributeFlags.replace)
      #expect(try object.attribute("xdg.origin.url") == "https://y")
      #expect(try object.attribute("customMetadata.size") == "theirs")
      #expect(try object.attribute("cacheControl") == "no-store")
      #expect(
        try object.path.attributeNames() == [
          "user.bucketfs", "user.bucketfs.x", "user.contentType", "user.customMetadata", "user.customMetadata.x",
          "user.md5Hash",
        ])
    }
  }

  @Test("of another program is never absent while a change takes it in")
  func adoptionIsNotSeen() throws {
    try ViewFixture.with { bucket in
      for number in 0..<20 {
        let object = try bucket.make("f\(number)")
        try object.path.set("k", "theirs")
        try object.path.set("cacheControl", "no-store")
        let reader = try bucket.open("f\(number)")
        let work = Observer(reader)
        try System.startThread { work.read() }
        while !work.hasBegun { System.sleep(nanoseconds: 10_000) }
        try object.set("a", "1")
        work.stop()
        #expect(work.misses == [])
      }
    }
  }

  /// A thread that reads until it is told to stop, and what it did not find.
  private final class Observer: @unchecked Sendable {
    private let object: ViewedObject
    private let isOver = Mutex(false)
    private let state = Mutex<(misses: [String], reads: Int, hasEnded: Bool)>(([], 0, false))

    init(_ object: ViewedObject) {
      self.object = object
    }

    var misses: [String] { state.withLock { $0.misses } }
    var hasBegun: Bool { state.withLock { $0.reads > 0 } }

    func read() {
      while !isOver.withLock({ $0 }) {
        var missed: [String] = []
        if value("k") != "theirs" { missed.append("k") }
        if value("cacheControl") != "no-store" { missed.append("cacheControl") }
        if value("customMetadata")?.contains("theirs") != true { missed.append("customMetadata") }
        if value("bucketfs.json")?.contains("theirs") != true { missed.append("bucketfs.json") }
        let names = retrying { () throws(Errno) in try object.attributeNames() }
        if names?.contains("user.k") != true || names?.contains("user.cacheControl") != true { missed.append("list") }
        state.withLock { state in
          state.misses += missed
          state.reads += 1
        }
      }
      state.withLock { $0.hasEnded = true }
    }

    private func value(_ name: String) -> String? {
      retrying { () throws(Errno) in try object.attribute(name) }
    }

    /// What a probe announces may have grown before it is read.
    private func retrying<Result>(_ body: () throws(Errno) -> Result) -> Result? {
      while true {
        do throws(Errno) {
          return try body()
        } catch .outOfRange {
          continue
        } catch {
          return nil
        }
      }
    }

    func stop() {
      isOver.withLock { $0 = true }
      while !state.withLock({ $0.hasEnded }) { System.sleep(nanoseconds: 100_000) }
    }
  }
}
