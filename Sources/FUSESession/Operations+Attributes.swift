internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

extension Operations {
  /// GETATTR, SETATTR, STATFS.
  static func addAttributes(to table: inout fuse_lowlevel_ops) {
    table.getattr = { request, node, _ in
      serve(request) { served throws(Errno) in
        try served.fileSystem.attributes(of: NodeID(rawValue: node))
      } reply: { reply, status, served in
        reply.attributes(status, timeout: served.fileSystem.attributeTimeout(on: status.device))
      }
    }
    table.setattr = { request, node, attributes, set, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.setAttributes(
          of: NodeID(rawValue: node), AttributeChanges(attributes!.pointee, set), handle: info?.pointee.fh,
          caller: served.caller, worker: served.worker)
      } reply: { reply, status, served in
        reply.attributes(status, timeout: served.fileSystem.attributeTimeout(on: status.device))
      }
    }
    table.statfs = { request, node in
      serve(request) { served throws(Errno) in
        try served.fileSystem.fileSystemStatus(of: node == 0 ? .root : NodeID(rawValue: node))
      } reply: { reply, status, _ in
        reply.fileSystemStatus(status)
      }
    }
  }
}
