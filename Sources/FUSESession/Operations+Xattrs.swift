internal import Bucket
internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

extension Operations {
  /// GETXATTR, LISTXATTR, SETXATTR, REMOVEXATTR.
  static func addXattrs(to table: inout fuse_lowlevel_ops) {
    table.getxattr = { request, node, name, size in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.getXattr(
            name, of: NodeID(rawValue: node), caller: served.caller, worker: served.worker)
        }
      } reply: { reply, answer, served in
        switch answer {
        case .value: reply.xattr(served.worker.output, size: size)
        case .deferred: replyWithDigest(reply, of: NodeID(rawValue: node), size: size, served.context)
        }
      }
    }
    table.listxattr = { request, node, size in
      serve(request) { served throws(Errno) in
        try served.fileSystem.listXattrs(of: NodeID(rawValue: node), worker: served.worker)
      } reply: { reply, _, served in
        reply.xattr(served.worker.output, size: size)
      }
    }
    table.setxattr = { request, node, name, value, size, flags in
      serve(request) { served throws(Errno) in
        served.worker.assume(served.caller)
        let bytes = UnsafeRawBufferPointer(start: value, count: size).bindMemory(to: UInt8.self).span
        let (node, flags) = (NodeID(rawValue: node), XattrFlags(rawValue: flags))
        return try withName(name) { name throws(Errno) in
          guard BucketFileSystem.isACL(name) else {
            return try served.fileSystem.setXattr(name, of: node, to: bytes, flags)
          }
          try served.fileSystem.setACL(
            name, of: node, to: bytes, flags, keepingSetgid: mayKeepSetgid(served.context), worker: served.worker)
          return .done
        }
      } reply: { reply, change, served in
        switch change {
        case .done: reply.done()
        case .needsDigest:
          let value = UnsafeRawBufferPointer(start: value, count: size)
          setVerified(reply, name!, of: NodeID(rawValue: node), to: value, flags, served.context)
        }
      }
    }
    table.removexattr = { request, node, name in
      serve(request) { served throws(Errno) in
        served.worker.assume(served.caller)
        try withName(name) { name throws(Errno) in
          try served.fileSystem.removeXattr(name, of: NodeID(rawValue: node))
        }
      }
    }
  }
}

/// Answers a getxattr of md5Hash when the digest is computed; a probe at once, since every digest is as long.
private func replyWithDigest(
  _ reply: consuming Reply, of node: NodeID, size: Int, _ context: SessionContext
) {
  if size == 0 { return reply.xattrLength(MD5Digest.base64Count) }
  guard size >= MD5Digest.base64Count else { return reply.fail(.outOfRange) }
  let deferred = DeferredRequest(reply, context)
  do throws(Errno) {
    try context.fileSystem.digest(of: node, isCancelled: { deferred.isInterrupted }) { result in
      switch result {
      case .success(let content):
        var text = ByteBuffer(capacity: MD5Digest.base64Count)
        text.append(base64: content.digest)
        deferred.answer { $0.xattr(text, size: size) }
      case .failure(let error):
        deferred.answer { $0.fail(Errno(error)) }
      }
    }
  } catch {
    deferred.answer { $0.fail(error) }
  }
}

/// Whether the caller of the SETXATTR that the thread serves may leave setgid on: root, and members of the file's group
/// by any of their groups, which the kernel alone knows all.
private func mayKeepSetgid(_ context: SessionContext) -> Bool {
  context.negotiation.hasExtendedSetxattr
    && ServingThread.current._withUnsafeGuaranteedRef { $0.setxattrFlags & ExtendedSetxattr.killSetgid == 0 }
}

/// Sets md5Hash once the content's own is known. The request's memory is libfuse's: name and value are copied.
private func setVerified(
  _ reply: consuming Reply, _ name: UnsafePointer<CChar>, of node: NodeID, to value: UnsafeRawBufferPointer,
  _ flags: Int32, _ context: SessionContext
) {
  let fileSystem = context.fileSystem
  let deferred = DeferredRequest(reply, context)
  let name = withName(name) { $0.array }
  let value = Array(value)
  do throws(Errno) {
    try fileSystem.digest(of: node, isCancelled: { deferred.isInterrupted }) { result in
      do throws(Errno) {
        let digest: ContentDigest
        do throws(HashError) {
          digest = try result.get()
        } catch {
          throw Errno(error)
        }
        let change = try fileSystem.setXattr(
          name.span, of: node, to: value.span, XattrFlags(rawValue: flags), digest: digest)
        // The content changed meanwhile: what was verified is another.
        if case .needsDigest = change { throw .badMessage }
        deferred.answer { $0.done() }
      } catch {
        deferred.answer { $0.fail(error) }
      }
    }
  } catch {
    deferred.answer { $0.fail(error) }
  }
}
