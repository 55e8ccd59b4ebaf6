import Bucket
import BucketFileSystem
import CAllocations
import CTestSupport
import FUSESession
import SystemCalls
import TestSupport

/// Stands for the kernel: sends raw requests to a session over a bucket in a temporary directory, and takes the raw
/// replies. Nothing is mounted.
///
/// The session serves on a thread of its own, as in the daemon: what it does to its identity and umask stays there.
final class FakeKernel: @unchecked Sendable {
  /// INIT's flags as a kernel offers them: big writes, DONT_MASK, splices, POSIX_ACL, KILLPRIV_V2, SETXATTR_EXT, upper
  /// flags.
  static let usualFlags: UInt64 = 0x3000_0000 | 1 << 30 | 1 << 20 | 1 << 7 | 1 << 6 | 1 << 5 | 1 << 37

  /// What the session takes for the kernel's registration of backing files.
  enum Backing {
    case none
    /// Every file gets this id.
    case id(Int32)
  }

  let directory: Path
  let fileSystem: BucketFileSystem
  private var session: Session?
  private let socket: Int32
  private let thread: ServingLoop
  private var unique: UInt64 = 0
  /// How often the session allocated while it served the latest request.
  private(set) var allocations: UInt64 = 0
  /// The root folder.
  let root: UInt64 = 1

  /// Calls `body` with a session that has answered INIT.
  static func with<Result>(
    backing: Backing = .none, options: XattrOptions = XattrOptions(), readOnly: Bool = false,
    initialize: Bool = true, _ body: (FakeKernel) throws -> Result
  ) throws -> Result {
    try TemporaryDirectory.with { directory in
      let kernel = try FakeKernel(directory, backing, options, readOnly: readOnly)
      if initialize { _ = kernel.initialize() }
      return try body(kernel)
    }
  }

  private init(_ directory: Path, _ backing: Backing, _ options: XattrOptions, readOnly: Bool) throws {
    self.directory = directory
    let store = try BucketStore.open(directory.bytes.span, name: Array("bucket".utf8), readOnly: readOnly)
    let view = XattrView(
      store: store, mediaTypes: MediaTypes(systemPath: Array("/nonexistent".utf8)), hasher: try ContentHasher(),
      options: options)
    let registry: BackingRegistry =
      switch backing {
      case .none: .none
      case .id(let id): BackingRegistry(register: { _ in id }, release: { _ in })
      }
    var fileSystemOptions = FileSystemOptions()
    fileSystemOptions.readOnly = readOnly
    fileSystem = try BucketFileSystem(
      root: try System.open([UInt8(ascii: ".")].span, in: store.root, [.path, .directory]), xattrs: view,
      options: fileSystemOptions, descriptorLimit: 256, backings: registry)
    let session = try Session(
      fileSystem, backings: SessionBackings { _ in }, options: ["default_permissions"], hasPosixACLs: true)
    var ends: [Int32] = [0, 0]
    guard test_message_sockets(&ends) == 0 else { throw Errno(rawValue: test_errno()) }
    socket = ends[0]
    self.session = session
    try session.attach(to: OwnedDescriptor(owning: Descriptor(rawValue: ends[1])))
    thread = try ServingLoop()
  }

  deinit {
    _ = thread.run {
      Session.endServing()
      return 0
    }
    thread.stop()
    // The session's last answers still have somewhere to go.
    session = nil
    close(socket)
  }

  /// Sends INIT and returns the reply.
  func initialize(major: UInt32 = 7, flags: UInt64 = usualFlags) -> [UInt8] {
    var request = Bytes()
    request.add(major, UInt32(38), UInt32(131_072), UInt32(truncatingIfNeeded: flags))
    request.add(UInt32(truncatingIfNeeded: flags >> 32))
    request.add(zeros: 44)
    return send(.initialize, node: 0, request)?.raw ?? []
  }

  /// Sends a request with a right header and returns the reply, nil where there is none (yet).
  @discardableResult
  func send(_ kind: Kind, node: UInt64, _ arguments: Bytes = Bytes(), caller: UInt32 = 0) -> Answer? {
    unique += 2
    let header = header(kind.rawValue, node: node, length: 40 + arguments.bytes.count, caller: caller)
    return deliver(header + arguments.bytes)
  }

  /// The number of the latest request.
  var latest: UInt64 { unique }

  /// The header of a request, which claims to be `length` bytes long.
  func header(_ opcode: UInt32, node: UInt64, length: Int, caller: UInt32 = 0) -> [UInt8] {
    var header = Bytes()
    header.add(UInt32(length), opcode)
    header.add(unique, node)
    header.add(caller, caller, UInt32(4242), UInt32(0))
    return header.bytes
  }

  /// Delivers bytes as they are, in memory of exactly their length, and returns the reply.
  func deliver(_ bytes: [UInt8]) -> Answer? {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    let part = SendableBuffer(memory)
    allocations = thread.run { [session] in
      let before = allocations_of_this_thread()
      session?.serve(part.buffer)
      return allocations_of_this_thread() - before
    }
    return receive(milliseconds: 0)
  }

  /// Waits for a reply that comes later.
  func receive(milliseconds: Int32) -> Answer? {
    var item = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&item, 1, milliseconds) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    let count = recv(socket, &buffer, buffer.count, 0)
    return count >= 16 ? Answer(raw: Array(buffer.prefix(count))) : nil
  }
}

/// Memory that the serving thread uses while the sender waits.
private struct SendableBuffer: @unchecked Sendable {
  let buffer: UnsafeMutableRawBufferPointer

  init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }
}
