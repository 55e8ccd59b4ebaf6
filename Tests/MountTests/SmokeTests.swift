import SystemCalls
import TestSupport
import Testing

/// The first things that a person tries.
@Suite struct SmokeTests {
  @Test func readsAndSetsAProperty() throws {
    try MountedBucket.with { bucket in
      let page = bucket / "index.html"
      try page.write("<p>hello</p>")
      #expect(try page.text() == "<p>hello</p>")
      #expect(try page.attribute("contentType") == "text/html")
      #expect(try page.attribute("size") == "12")
      try page.set("contentType", "text/plain")
      #expect(try page.attribute("contentType") == "text/plain")
      #expect(throws: Errno.notPermitted) { try page.set("size", "13") }
      #expect(try (bucket.backing / "index.html").text() == "<p>hello</p>")
    }
  }
}
