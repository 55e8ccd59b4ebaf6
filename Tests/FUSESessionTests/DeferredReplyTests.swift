import SystemCalls
import TestSupport
import Testing

@Suite("The reply to a getxattr of md5Hash")
struct DeferredReplyTests {
  @Test("comes when the content is read, a probe's at once")
  func digest() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      #expect(kernel.getXattr("user.md5Hash", of: node, size: 0)?.raw == kernel.length(24))
      let now = kernel.getXattr("user.md5Hash", of: node, size: 100)
      let answer = now ?? kernel.receive(milliseconds: 10_000)
      #expect(answer?.raw == kernel.success(Array("XrY7u+Ae7tCTyyK7j1rNww==".utf8)))
      let short = kernel.getXattr("user.md5Hash", of: node, size: 23) ?? kernel.receive(milliseconds: 10_000)
      #expect(short?.raw == kernel.failure(.outOfRange))
    }
  }

  @Test("is EINTR when the asker is interrupted, and others are served meanwhile")
  func interruption() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("large.bin")
      try (kernel.directory / "large.bin").truncate(to: 1 << 42)
      #expect(kernel.getXattr("user.md5Hash", of: node, size: 100) == nil)
      let asked = kernel.latest
      let interrupted = kernel.failure(.interrupted)
      #expect(kernel.getXattr("user.contentType", of: node, size: 100)?.text == "application/octet-stream")
      var interrupt = Bytes()
      interrupt.add(asked)
      // INTERRUPT has no answer of its own; that of the request may come at once.
      let answer = kernel.send(.interrupt, node: 0, interrupt) ?? kernel.receive(milliseconds: 10_000)
      #expect(answer?.raw == interrupted)
    }
  }

  @Test("is not waited for when the session ends")
  func end() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("large.bin")
      try (kernel.directory / "large.bin").truncate(to: 1 << 42)
      #expect(kernel.getXattr("user.md5Hash", of: node, size: 100) == nil)
    }
  }
}
