import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Requests that no kernel sends: they may be refused in any way, but the session goes on.
@Suite("A hostile request")
struct HostileRequestTests {
  /// Whether the session still works.
  private func isWell(_ kernel: FakeKernel, _ node: UInt64) -> Bool {
    kernel.getXattr("user.size", of: node, size: 10)?.text == "11"
  }

  @Test("that claims another length than it has is refused")
  func lengths() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      for length in [0, 16, 39, 40, 41, 48, 100, 0xffff_ffff] {
        _ = kernel.lookup("x")
        let header = kernel.header(Kind.getattr.rawValue, node: node, length: length)
        #expect(kernel.deliver(header + [UInt8](repeating: 0, count: 16))?.raw == kernel.failure(.ioError), "\(length)")
      }
      for count in 0..<40 {
        #expect(kernel.deliver([UInt8](repeating: 255, count: count)) == nil)
      }
      #expect(isWell(kernel, node))
    }
  }

  @Test("that ends too early is refused, for every kind", arguments: Kind.allCases)
  func truncation(_ kind: Kind) throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      for count in 0..<96 {
        for filling in [0, 1, 0x2f, 0x61, 0xff] as [UInt8] {
          kernel.send(kind, node: node, Bytes(bytes: [UInt8](repeating: filling, count: count)))
        }
      }
      // A FORGET may have been whole, and INTERRUPTs for nobody are answered beside later requests.
      for _ in 0..<500 { _ = kernel.getAttributes(1) }
      while kernel.receive(milliseconds: 0) != nil {}
      #expect(isWell(kernel, try kernel.node("forest.jpg")))
    }
  }

  @Test("with a name that is none is EINVAL")
  func names() throws {
    try FakeKernel.with { kernel in
      try (kernel.directory / "photos").makeFolder()
      let folder = try kernel.node("photos")
      for name in ["", ".", "..", "../photos", "a/b", "/etc/passwd", "photos/"] {
        #expect(kernel.lookup(name)?.raw == kernel.failure(.invalidArgument), "\(name)")
        #expect(kernel.lookup(name, in: folder)?.raw == kernel.failure(.invalidArgument), "\(name)")
        #expect(kernel.send(.unlink, node: 1, .string(name))?.raw == kernel.failure(.invalidArgument), "\(name)")
      }
      for kind in [Kind.lookup, .unlink, .rmdir, .removexattr, .symlink] {
        let request = Bytes(bytes: Array("user.name".utf8))
        #expect(kernel.send(kind, node: 1, request)?.raw == kernel.failure(.invalidArgument), "\(kind)")
      }
    }
  }

  @Test("with sizes that nobody has is refused")
  func sizes() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      #expect(kernel.getXattr("user.size", of: node, size: .max)?.text == "11")
      #expect(kernel.listXattr(of: node, size: .max)?.raw == kernel.success())
      let handle: UInt64 = try #require(kernel.open(node)).body.number(at: 0)
      #expect(kernel.read(node, handle: handle, size: .max)?.raw == kernel.failure(.invalidArgument))
      let behind = kernel.read(node, handle: handle, offset: .max, size: 100)
      #expect(behind?.raw == kernel.failure(.invalidArgument))
      for count in [6, 4096, UInt32.max] {
        var set = Bytes()
        set.add(count, UInt32(0), UInt32(0), UInt32(0))
        set.add("user.k")
        set.bytes += Array("value".utf8)
        #expect(kernel.send(.setxattr, node: node, set)?.raw == kernel.failure(.invalidArgument))
        var write = Bytes()
        write.add(handle, UInt64(0))
        write.add(count)
        write.add(zeros: 20)
        write.bytes += Array("value".utf8)
        #expect(kernel.send(.write, node: node, write)?.raw == kernel.failure(.invalidArgument))
        var forget = Bytes()
        forget.add(count, UInt32(0))
        forget.add(node, UInt64(1))
        #expect(kernel.send(.batchForget, node: 0, forget) == nil)
      }
      let opened = try #require(kernel.send(.opendir, node: 1, Bytes(bytes: [UInt8](repeating: 0, count: 8))))
      let folder: UInt64 = opened.body.number(at: 0)
      for kind in [Kind.readdir, .readdirplus] {
        for size in [0, 1, 23, 24, UInt32.max] {
          var request = Bytes()
          request.add(folder, UInt64(0))
          request.add(size)
          request.add(zeros: 20)
          #expect(kernel.send(kind, node: 1, request) != nil)
        }
      }
      #expect(isWell(kernel, node))
    }
  }

  @Test("for a node that was never given out is ESTALE, for a handle EBADF")
  func identities() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      for bad in [0, 2, 3, 64, 1 << 32, .max - 1, .max] as [UInt64] where bad != node {
        #expect(kernel.getAttributes(bad)?.raw == kernel.failure(.staleFileHandle), "\(bad)")
        #expect(kernel.lookup("x", in: bad)?.raw == kernel.failure(.staleFileHandle), "\(bad)")
        #expect(kernel.getXattr("user.size", of: bad, size: 10)?.raw == kernel.failure(.staleFileHandle), "\(bad)")
        #expect(kernel.open(bad)?.raw == kernel.failure(.staleFileHandle), "\(bad)")
        var forget = Bytes()
        forget.add(UInt64.max)
        #expect(kernel.send(.forget, node: bad, forget) == nil)
      }
      for bad in [0, 1, 1 << 32, 7 << 32 | 1, .max] as [UInt64] {
        #expect(kernel.read(node, handle: bad, size: 10)?.raw == kernel.failure(.badFileDescriptor), "\(bad)")
        var release = Bytes()
        release.add(bad)
        release.add(zeros: 16)
        #expect(kernel.send(.release, node: node, release)?.raw == kernel.failure(.badFileDescriptor), "\(bad)")
        #expect(kernel.send(.releasedir, node: 1, release)?.raw == kernel.failure(.badFileDescriptor), "\(bad)")
      }
      #expect(isWell(kernel, node))
    }
  }

  @Test("that answers what nobody asked is dropped")
  func notificationReplies() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      let header = kernel.header(41, node: node, length: 80)
      #expect(kernel.deliver(header + [UInt8](repeating: 0, count: 40)) == nil)
      #expect(isWell(kernel, node))
    }
  }

  @Test("that is never answered is not before INIT and after DESTROY either")
  func unanswered() throws {
    try FakeKernel.with(initialize: false) { kernel in
      var forget = Bytes()
      forget.add(UInt64(1))
      for _ in 0..<2 {
        for kind in [Kind.forget, .interrupt, .batchForget] { #expect(kernel.send(kind, node: 1, forget) == nil) }
        _ = kernel.initialize()
        #expect(kernel.send(.destroy, node: 0) != nil)
      }
    }
  }

  @Test("of random bytes does no harm")
  func randomBytes() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of the hostile requests: \(seed)")
    var generator = Splitmix(state: seed)
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      let handle: UInt64 = try #require(kernel.open(node, flags: UInt32(O_RDWR))).body.number(at: 0)
      for _ in 0..<20_000 {
        // Those that would fill the disk are left out, and DESTROY, which ends the session.
        let kind = Kind.allCases.randomElement(using: &generator)!
        if [.fallocate, .setattr, .write, .copyFileRange, .destroy].contains(kind) { continue }
        var bytes = Bytes()
        if Bool.random(using: &generator) { bytes.add(handle) }
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes.add(UInt64.random(in: 0...UInt64.max, using: &generator))
          case 1: bytes.add(UInt64.random(in: 0...64, using: &generator))
          case 2: bytes.add("user.name")
          default: bytes.add(UInt32.random(in: 0...100, using: &generator))
          }
        }
        kernel.send(kind, node: [1, node, 77].randomElement(using: &generator)!, bytes)
      }
      for _ in 0..<20_000 { _ = kernel.getAttributes(1) }
      while kernel.receive(milliseconds: 0) != nil {}
      #expect(kernel.getXattr("user.bucket", of: 1, size: 10)?.text == "bucket")
    }
  }
}

/// A generator of random numbers that a seed repeats.
private struct Splitmix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }
}
