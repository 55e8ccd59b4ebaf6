import CTestSupport
import FUSESession
import SystemCalls

/// Stands for the kernel, or for whoever else writes to the session's descriptor: makes requests of an input, right and
/// wrong ones, and keeps account of the replies.
final class BareKernel {
  private var session: Session?
  private let socket: Int32
  private let thread: RequestThread
  private var unique: UInt64 = 0
  /// The kinds of the requests that have no reply yet, by their numbers.
  private var waiting: [UInt64: UInt32] = [:]
  private var nodes: [UInt64] = [1]
  private var handles: [UInt64] = [0]
  private var reply = [UInt8](repeating: 0, count: 1 << 18)

  init(_ session: Session, _ thread: RequestThread) throws {
    var ends: [Int32] = [0, 0]
    demand(test_message_sockets(&ends) == 0, "no sockets can be made")
    socket = ends[0]
    var size: Int32 = 1 << 20
    for end in ends { setsockopt(end, SOL_SOCKET, SO_SNDBUFFORCE, &size, 4) }
    self.session = session
    self.thread = thread
    try session.attach(to: OwnedDescriptor(owning: Descriptor(rawValue: ends[1])))
  }

  /// INIT as kernels send it.
  func initialize() {
    var body = Self.bytes(UInt32(7)) + Self.bytes(UInt32(38)) + Self.bytes(UInt32(131_072))
    body += Self.bytes(UInt32(0x7000_0000 | 1 << 20)) + Self.bytes(UInt32(1 << 5)) + [UInt8](repeating: 0, count: 44)
    deliver(kind: 26, node: 0, body, caller: 0, length: nil)
  }

  /// One request: its kind, its node, what is wrong with it, and its body.
  func send(_ input: inout Input) {
    let first = input.byte()
    let kind = first == 255 ? input.number(UInt32.self) : UInt32(first & 63)
    let choice = input.byte()
    let node = choice & 128 == 0 ? nodes[Int(choice & 31) % nodes.count] : input.number(UInt64.self)
    let flags = input.byte()
    var body: [UInt8] = []
    // Most requests about open files begin with the handle.
    if flags & 1 != 0 { body += Self.bytes(handles[Int(flags >> 5) % handles.count]) }
    // Those that name a second node, as LINK and COPY_FILE_RANGE do.
    if flags & 2 != 0 { body += Self.bytes(nodes[Int(flags >> 5) % nodes.count]) }
    let caller: UInt32 = flags & 4 == 0 ? 0 : 65534
    let length: UInt32? = flags & 8 == 0 ? nil : input.number(UInt32.self)
    body += flags & 16 == 0 ? input.shortBytes() : input.longBytes()
    if kind == 38 { settle() }
    deliver(kind: kind, node: node, body, caller: caller, length: length)
  }

  private func deliver(kind: UInt32, node: UInt64, _ body: [UInt8], caller: UInt32, length: UInt32?) {
    unique += 2
    var request = Self.bytes(length ?? UInt32(40 + body.count)) + Self.bytes(kind) + Self.bytes(unique)
    request +=
      Self.bytes(node) + Self.bytes(caller) + Self.bytes(caller) + Self.bytes(UInt32(4242)) + Self.bytes(UInt32(0))
    request += body
    // FORGET, NOTIFY_REPLY and BATCH_FORGET are not answered; INTERRUPT may be, by libfuse, if it was for nobody.
    if ![2, 41, 42].contains(kind) { waiting[unique] = kind }
    // In memory of exactly its length, so that the sanitizer sees who reads on.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: request.count, alignment: 8)
    memory.copyBytes(from: request)
    thread.run { [session] in session?.serve(memory) }
    memory.deallocate()
    while receive(milliseconds: 0) {}
  }

  /// Has libfuse answer the INTERRUPTs that were for nobody: it does so beside other requests, one at a time.
  private func settle() {
    while waiting.values.contains(36) {
      let count = waiting.count
      deliver(kind: 3, node: 1, [UInt8](repeating: 0, count: 16), caller: 0, length: nil)
      if waiting.count >= count { return }
    }
  }

  /// Waits for what is still to come, and ends the session.
  func end() {
    settle()
    let late = { [self] in waiting.values.contains { $0 != 36 } }
    while late() {
      demand(receive(milliseconds: 5000), "a request of kind \(waiting.values.first { $0 != 36 }!) was never answered")
    }
    thread.run { [self] in session = nil }
    while receive(milliseconds: 0) {}
    close(socket)
  }

  /// Takes one reply. Returns whether there was one.
  private func receive(milliseconds: Int32) -> Bool {
    var item = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&item, 1, milliseconds) == 1, item.revents & Int16(POLLIN) != 0 else { return false }
    let count = recv(socket, &reply, reply.count, 0)
    guard count > 0 else { return false }
    demand(count >= 16 && Int(number(at: 0, UInt32.self)) == count, "a reply of \(count) bytes tells another length")
    let answered = number(at: 8, UInt64.self)
    let error = number(at: 4, Int32.self)
    guard let kind = waiting.removeValue(forKey: answered) else {
      Finding.report("a reply is for a request that waits for none: \(answered) of \(unique), error \(error)")
    }
    demand(error <= 0 && error > -1000, "a request of kind \(kind) is answered with \(error)")
    demand(error == 0 || count == 16, "a failure of kind \(kind) has a body")
    guard error == 0 else { return true }
    switch kind {
    case 1, 6, 8, 9, 13: nodes.append(number(at: 16, UInt64.self))
    case 14, 27: handles.append(number(at: 16, UInt64.self))
    case 35:
      nodes.append(number(at: 16, UInt64.self))
      handles.append(number(at: 16 + 128, UInt64.self))
    default: break
    }
    // Names that are not there are answered with node 0.
    nodes.removeAll { $0 == 0 }
    return true
  }

  private func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number {
    reply.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }
}
