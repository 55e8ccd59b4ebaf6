import SystemCalls
import TestSupport
import Testing

/// The requests that tests send most, by name.
extension FakeKernel {
  /// LOOKUP.
  func lookup(_ name: String, in folder: UInt64 = 1) -> Answer? {
    send(.lookup, node: folder, .string(name))
  }

  /// LOOKUP of what must be there: its node id.
  func node(_ name: String, in folder: UInt64 = 1) throws -> UInt64 {
    let answer = try #require(lookup(name, in: folder))
    try #require(answer.errno == Errno(rawValue: 0))
    return answer.body.number(at: 0)
  }

  /// Makes a file in the backing directory, and looks it up.
  func make(_ name: String, _ content: String = "hello world") throws -> UInt64 {
    try (directory / Path(name)).write(content)
    return try node(name)
  }

  /// GETXATTR with a buffer of `size` bytes; 0 asks for the length alone.
  func getXattr(_ name: String, of node: UInt64, size: UInt32) -> Answer? {
    var request = Bytes()
    request.add(size, UInt32(0))
    request.add(name)
    return send(.getxattr, node: node, request)
  }

  /// LISTXATTR.
  func listXattr(of node: UInt64, size: UInt32) -> Answer? {
    var request = Bytes()
    request.add(size, UInt32(0))
    return send(.listxattr, node: node, request)
  }

  /// SETXATTR, as FUSE_SETXATTR_EXT has it.
  func setXattr(_ name: String, _ value: String, of node: UInt64, flags: UInt32 = 0) -> Answer? {
    var request = Bytes()
    request.add(UInt32(value.utf8.count), flags, UInt32(0), UInt32(0))
    request.add(name)
    request.bytes += Array(value.utf8)
    return send(.setxattr, node: node, request)
  }

  /// REMOVEXATTR.
  func removeXattr(_ name: String, of node: UInt64) -> Answer? {
    send(.removexattr, node: node, .string(name))
  }

  /// OPEN with these flags of open(2).
  func open(_ node: UInt64, flags: UInt32 = 0) -> Answer? {
    var request = Bytes()
    request.add(flags, UInt32(0))
    return send(.open, node: node, request)
  }

  /// READ.
  func read(_ node: UInt64, handle: UInt64, offset: UInt64 = 0, size: UInt32) -> Answer? {
    var request = Bytes()
    request.add(handle, offset)
    request.add(size)
    request.add(zeros: 20)
    return send(.read, node: node, request)
  }

  /// GETATTR.
  func getAttributes(_ node: UInt64) -> Answer? {
    var request = Bytes()
    request.add(zeros: 16)
    return send(.getattr, node: node, request)
  }

  /// The whole reply to the latest request: an errno alone.
  func failure(_ reason: Errno) -> [UInt8] {
    var reply = Bytes()
    reply.add(UInt32(16))
    reply.add(-reason.rawValue)
    reply.add(latest)
    return reply.bytes
  }

  /// The whole reply to the latest request: success with these bytes.
  func success(_ body: [UInt8] = []) -> [UInt8] {
    var reply = Bytes()
    reply.add(UInt32(16 + body.count), UInt32(0))
    reply.add(latest)
    return reply.bytes + body
  }

  /// The whole reply to a probe: the length, and four bytes of nothing.
  func length(_ count: Int) -> [UInt8] {
    var body = Bytes()
    body.add(UInt32(count), UInt32(0))
    return success(body.bytes)
  }
}
