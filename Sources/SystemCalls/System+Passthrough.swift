internal import CLinux

/// Backing files of FUSE passthrough.
///
/// Source: FUSE_DEV_IOC_BACKING_OPEN and …_CLOSE of linux/fuse.h.
extension System {
  /// Makes an open file known to the kernel's side of the session and returns its id. The kernel will read and write
  /// with the calling thread's credentials. EPERM without CAP_SYS_ADMIN, ELOOP for a file on a stacked filesystem.
  package static func openBacking(_ file: Descriptor, session: Descriptor) throws(Errno) -> Int32 {
    try call(.ioctl) { clinux_fuse_backing_open(session.rawValue, file.rawValue) }
  }

  /// Takes back what `openBacking` gave.
  package static func closeBacking(_ id: Int32, session: Descriptor) {
    _ = clinux_fuse_backing_close(session.rawValue, id)
  }
}
