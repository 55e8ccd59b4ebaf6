internal import CFuse
internal import Glibc
internal import SystemCalls

/// SETXATTR with the longer fixed part of FUSE_SETXATTR_EXT, which libfuse 3.14 does not know: the only way in which the
/// kernel says that setting an ACL has to drop setgid, because the caller is not in the file's group.
///
/// Source: `struct fuse_setxattr_in` of linux/fuse.h: size, flags, setxattr_flags, padding.
enum ExtendedSetxattr {
  /// FUSE_SETXATTR
  static let opcode: UInt32 = 21
  /// FUSE_SETXATTR_ACL_KILL_SGID
  static let killSetgid: UInt32 = 1
  private static let header = RequestCheck.headerSize
  /// Bytes by which it is longer.
  private static let surplus = 8

  /// Gives the request, which was found whole, the shorter fixed part. Returns its `setxattr_flags`.
  static func shorten(_ buffer: inout fuse_buf) -> UInt32 {
    let start: UnsafeMutableRawPointer = buffer.mem
    let kept = header + 8
    let flags = start.loadUnaligned(fromByteOffset: kept, as: UInt32.self)
    memmove(start + surplus, start, kept)
    buffer.mem = start + surplus
    buffer.size -= surplus
    buffer.mem.storeBytes(of: UInt32(buffer.size), as: UInt32.self)
    return flags
  }
}
