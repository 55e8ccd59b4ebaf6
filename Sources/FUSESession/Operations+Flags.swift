internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

extension Operations {
  /// IOCTL: what chattr and lsattr ask, which the kernel sends with an open of its own. Everything else is ENOTTY.
  static func addFlags(to table: inout fuse_lowlevel_ops) {
    table.ioctl = { request, _, command, _, info, flags, input, inputSize, outputSize in
      serve(request) { served throws(Errno) -> (FlagRequest, FlagValue) in
        guard let kind = FlagRequest(rawValue: command) else { throw Errno(rawValue: ENOTTY) }
        var value = FlagValue(repeating: 0)
        if kind.isChange {
          guard let input, inputSize >= kind.size else { throw .invalidArgument }
          withUnsafeMutableBytes(of: &value) { _ = memcpy($0.baseAddress!, input, kind.size) }
        } else if outputSize < kind.size {
          throw .invalidArgument
        }
        try served.fileSystem.flags(
          kind, of: info!.pointee.fh, isFolder: flags & UInt32(FUSE_IOCTL_DIR) != 0, &value, caller: served.caller,
          worker: served.worker)
        return (kind, value)
      } reply: { reply, answer, _ in
        reply.flags(answer.1, count: answer.0.isChange ? 0 : answer.0.size)
      }
    }
  }
}
