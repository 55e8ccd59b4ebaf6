import CTestSupport
import SystemCalls
import TestSupport
import Testing

@Suite("The session")
struct NegotiationTests {
  /// The 16 bytes of `fuse_open_out` at the end of a reply.
  private func opened(_ answer: Answer?) -> (handle: UInt64, flags: UInt32, backing: Int32) {
    let end = Array(answer?.raw.suffix(16) ?? [])
    return (end.number(at: 0), end.number(at: 8), end.number(at: 12))
  }

  @Test("answers INIT with what it takes of the kernel's offer")
  func initialization() throws {
    try FakeKernel.with(initialize: false) { kernel in
      let reply = Answer(raw: kernel.initialize())
      let body = reply.body
      #expect(reply.raw.count == 80 && reply.length == 80 && reply.errno.rawValue == 0)
      #expect(body.number(at: 0) == UInt32(7))
      let flags: UInt32 = body.number(at: 12)
      let upper: UInt32 = body.number(at: 32)
      // Big writes, DONT_MASK, POSIX_ACL, KILLPRIV_V2, and the upper half counts.
      for bit in [5, 6, 20, 28, 30] as [UInt32] where bit != 30 || upper != 0 {
        #expect(flags & 1 << bit != 0, "bit \(bit)")
      }
      #expect(body.number(at: 20) == UInt32(1 << 20), "max_write")
      #expect(body.number(at: 24) == UInt32(1), "time_gran")
      let mayPassThrough = System.capabilities.effective.contains(.sysAdmin)
      #expect(upper & 1 << 5 == (mayPassThrough ? 1 << 5 : 0), "FUSE_PASSTHROUGH")
      #expect(body.number(at: 36) == UInt32(mayPassThrough ? 1 : 0), "max_stack_depth")
    }
  }

  @Test("is not begun by an INIT of a later major version, which a second one follows")
  func laterMajorVersion() throws {
    try FakeKernel.with(initialize: false) { kernel in
      let body = Answer(raw: kernel.initialize(major: 8)).body
      #expect(body.number(at: 0) == UInt32(7))
      // Not begun: libfuse refuses all other requests, also those that have no answer.
      var forget = Bytes()
      forget.add(UInt32(1), UInt32(0))
      forget.add(UInt64(1), UInt64(1))
      #expect(kernel.send(.batchForget, node: 1, forget) == nil)
      #expect(kernel.getXattr("user.size", of: 1, size: 100)?.raw == kernel.failure(.ioError))
      #expect(Answer(raw: kernel.initialize()).errno.rawValue == 0)
      #expect(kernel.getXattr("user.size", of: 1, size: 100)?.raw == kernel.failure(.noData))
    }
  }

  @Test("takes nothing that the kernel does not offer")
  func oldKernel() throws {
    try FakeKernel.with(initialize: false) { kernel in
      let body = Answer(raw: kernel.initialize(flags: 1 << 5)).body
      let flags: UInt32 = body.number(at: 12)
      #expect(flags & ~(1 << 5) == 0)
      #expect(body.number(at: 32) == UInt32(0))
      #expect(body.number(at: 36) == UInt32(0))
    }
  }

  @Test("answers everything before INIT with EIO")
  func beforeInitialization() throws {
    try FakeKernel.with(initialize: false) { kernel in
      #expect(kernel.lookup("x")?.raw == kernel.failure(.ioError))
      #expect(kernel.getXattr("user.size", of: 1, size: 0)?.raw == kernel.failure(.ioError))
    }
  }

  @Test("puts the backing id in the reply to OPEN and CREATE", .enabled(if: System.effectiveUser == 0))
  func backing() throws {
    try FakeKernel.with(backing: .id(7)) { kernel in
      let node = try kernel.make("forest.jpg")
      let answer = kernel.open(node, flags: UInt32(O_RDWR))
      #expect(answer?.raw.count == 32)
      #expect(opened(answer).flags & 1 << 7 != 0)
      #expect(opened(answer).backing == 7)
      var request = Bytes()
      request.add(UInt32(O_RDWR), UInt32(0o100644), UInt32(0o022), UInt32(0))
      request.add("new.txt")
      let created = kernel.send(.create, node: 1, request)
      #expect(created?.errno.rawValue == 0)
      #expect(opened(created).flags & 1 << 7 != 0)
      #expect(opened(created).backing == 7)
      // The reply after that is as libfuse makes it.
      #expect(kernel.send(.opendir, node: 1, zeros(8)).map { opened($0).backing } == 0)
    }
  }

  @Test("reads and writes by itself where there is no backing id")
  func data() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      let answer = kernel.open(node, flags: UInt32(O_RDWR))
      #expect(opened(answer).backing == 0 && opened(answer).flags & 1 << 7 == 0)
      let handle = opened(answer).handle
      #expect(kernel.read(node, handle: handle, size: 4096)?.raw == kernel.success(Array("hello world".utf8)))
      #expect(kernel.read(node, handle: handle, offset: 11, size: 4096)?.raw == kernel.success())
      var write = Bytes()
      write.add(handle, UInt64(6))
      write.add(UInt32(5))
      write.add(zeros: 20)
      write.bytes += Array("there".utf8)
      var count = Bytes()
      count.add(UInt32(5), UInt32(0))
      #expect(kernel.send(.write, node: node, write)?.raw == kernel.success(count.bytes))
      #expect(try (kernel.directory / "forest.jpg").text() == "hello there")
    }
  }

  @Test("answers ENOSYS to what it does not know, never to an xattr request")
  func unknown() throws {
    try FakeKernel.with { kernel in
      for opcode in [7, 19, 49, 77, 4097, UInt32.max] {
        _ = kernel.lookup("x")
        let answer = kernel.deliver(kernel.header(opcode, node: 1, length: 40))
        #expect(answer?.raw == kernel.failure(.noFunction), "\(opcode)")
      }
    }
  }

  private func zeros(_ count: Int) -> Bytes {
    Bytes(bytes: [UInt8](repeating: 0, count: count))
  }
}
