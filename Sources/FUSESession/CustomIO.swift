internal import CFuse
internal import CLinux
internal import Glibc

/// The way of requests and replies between libfuse and `/dev/fuse`: plain reads, writes and splices, but that the
/// session sees the INIT request, and completes the replies for which libfuse 3.14 has no fields.
enum CustomIO {
  static func install(on session: OpaquePointer, descriptor: Int32) -> Int32 {
    var io = fuse_custom_io(
      writev: { descriptor, vectors, count, userdata in
        guard let vectors, let userdata else { return -Int(EINVAL) }
        let context = Unmanaged<SessionContext>.fromOpaque(userdata)
        return context._withUnsafeGuaranteedRef { CustomIO.write(descriptor, vectors, Int(count), $0) }
      },
      read: { descriptor, buffer, length, _ in Glibc.read(descriptor, buffer, length) },
      splice_receive: { from, fromOffset, to, toOffset, length, flags, _ in
        clinux_splice(from, fromOffset, to, toOffset, length, flags)
      },
      splice_send: { from, fromOffset, to, toOffset, length, flags, _ in
        clinux_splice(from, fromOffset, to, toOffset, length, flags)
      })
    return cfuse_session_custom_io(session, &io, descriptor)
  }

  /// Sends a reply: `fuse_out_header` first.
  static func write(
    _ descriptor: Int32, _ vectors: UnsafeMutablePointer<iovec>, _ count: Int, _ context: SessionContext
  ) -> Int {
    context.requests.errors.count(reply: UnsafeRawBufferPointer(start: vectors[0].iov_base, count: vectors[0].iov_len))
    let wasInitialized = context.negotiation.isDone
    complete(vectors, count, context)
    if wasInitialized, let sent = context.rings?.write(vectors, count) { return sent }
    let sent = writev(descriptor, vectors, Int32(count))
    if !wasInitialized, context.negotiation.isDone { context.onInitialized() }
    return sent
  }

  /// Adds to a reply what libfuse has no field for.
  private static func complete(_ vectors: UnsafeMutablePointer<iovec>, _ count: Int, _ context: SessionContext) {
    guard count >= 2 else { return }
    let last = UnsafeMutableRawBufferPointer(start: vectors[count - 1].iov_base, count: vectors[count - 1].iov_len)
    if !context.negotiation.isDone {
      context.negotiation.complete(reply: last)
      return
    }
    guard cfuse_knows_passthrough() == 0 else { return }
    let id = PendingBacking.id
    if id != 0 { BackingReply.complete(last, id) }
  }
}

/// The end of an OPEN or CREATE reply: `struct fuse_open_out`.
enum BackingReply {
  /// FOPEN_PASSTHROUGH
  private static let passthrough: UInt32 = 1 << 7

  static func complete(_ reply: UnsafeMutableRawBufferPointer, _ id: Int32) {
    guard reply.count >= 16 else { return }
    let start = reply.count - 16
    let flags = reply.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self)
    reply.storeBytes(of: flags | passthrough, toByteOffset: start + 8, as: UInt32.self)
    reply.storeBytes(of: id, toByteOffset: start + 12, as: Int32.self)
  }
}
