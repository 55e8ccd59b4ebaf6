internal import Bucket
internal import CFuse
internal import Glibc
package import SystemCalls

/// Requests as bytes: from the kernel, from a ring, or from a test that stands for the kernel.
extension Session {
  /// Has the session write its replies to `descriptor`, which it owns from now on, instead of mounting it.
  package func attach(to descriptor: consuming OwnedDescriptor) throws(SessionError) {
    guard CustomIO.install(on: session, descriptor: descriptor.release().rawValue) == 0 else {
      throw SessionError(message: "libfuse refused the session's own read and write")
    }
  }

  /// Serves one request on the calling thread. Nobody else may use its bytes meanwhile; its answer may come later.
  package func serve(_ request: UnsafeMutableRawBufferPointer) {
    var buffer = fuse_buf()
    buffer.mem = request.baseAddress
    buffer.size = request.count
    process(buffer)
  }

  /// Gives back what the calling thread kept from one request that it served to the next: before it ends.
  package static func endServing() {
    ServingThread.end()
  }

  /// Hands a request to libfuse, if it is whole.
  func process(_ buffer: fuse_buf) {
    let start = Clock.monotonic
    let request = UnsafeRawBufferPointer(start: buffer.mem, count: buffer.size)
    // Without a header there is nobody to answer.
    guard request.count >= RequestCheck.headerSize else { return }
    let opcode = request.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    // libfuse may get another part of the memory; the caller reads the next request into all of it.
    var handed = buffer
    let problem = context._withUnsafeGuaranteedRef { context -> Errno? in
      context.requests.count(opcode)
      context.negotiation.note(request: request)
      // libfuse would answer what is never answered.
      if !context.negotiation.isInForce, RequestCheck.isUnanswered(opcode) { return .ioError }
      let isExtended = context.negotiation.hasExtendedSetxattr
      if let problem = RequestCheck.problem(in: request, hasExtendedSetxattr: isExtended) { return problem }
      if isExtended, opcode == ExtendedSetxattr.opcode {
        let flags = ExtendedSetxattr.shorten(&handed)
        ServingThread.current._withUnsafeGuaranteedRef { $0.setxattrFlags = flags }
      }
      return nil
    }
    if let problem { return refuse(request, problem) }
    fuse_session_process_buf(session, &handed)
    context._withUnsafeGuaranteedRef { $0.requests.latencies.note(opcode, nanoseconds: Clock.monotonic - start) }
  }

  private func refuse(_ request: UnsafeRawBufferPointer, _ reason: Errno) {
    let opcode = request.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    let unique = request.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    Log.write(.warning, .request, "a malformed request of kind \(opcode) was refused")
    // 0 is nobody's.
    if unique == 0 || RequestCheck.isUnanswered(opcode) { return }
    var reply = (UInt32(16), -reason.rawValue, unique)
    withUnsafeMutablePointer(to: &reply) { reply in
      var vector = iovec(iov_base: reply, iov_len: 16)
      _ = context._withUnsafeGuaranteedRef { CustomIO.write(fuse_session_fd(session), &vector, 1, $0) }
    }
  }
}
