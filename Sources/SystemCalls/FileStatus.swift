internal import CLinux
internal import Glibc

/// A point in time as the kernel keeps it for files.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since 1970; negative before it.
  package var seconds: Int64
  /// 0 to 999,999,999.
  package var nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// Whole microseconds since 1970, cut to what 63 bits hold.
  package var microseconds: Int64 {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(Int64(nanoseconds / 1000))
    return overflowed ? .max : sum
  }
}

/// A file's type, the upper bits of its mode.
package enum FileType: UInt32, Sendable {
  case fifo = 0o010000
  case characterDevice = 0o020000
  case directory = 0o040000
  case blockDevice = 0o060000
  case regular = 0o100000
  case symbolicLink = 0o120000
  case socket = 0o140000
}

/// What statx tells of a file.
package struct FileStatus: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  package var mode: UInt32
  package var linkCount: UInt32
  package var owner: UInt32
  package var group: UInt32
  /// The device that a device node stands for.
  package var specialDevice: UInt64
  /// Bytes.
  package var size: UInt64
  /// Bytes.
  package var blockSize: UInt32
  /// Units of 512 bytes.
  package var blocks: UInt64
  package var accessed: Timestamp
  package var modified: Timestamp
  package var changed: Timestamp
  /// The birth time; 1970 where the filesystem keeps none.
  package var born: Timestamp

  /// The type, nil for a mode that Linux does not know.
  package var type: FileType? { FileType(rawValue: mode & 0o170000) }
  package var isRegular: Bool { mode & 0o170000 == FileType.regular.rawValue }
  package var isDirectory: Bool { mode & 0o170000 == FileType.directory.rawValue }

  /// Whether the next change of the file must give it another ctime. Kernels before 6.13 keep time in ticks of up to 10
  /// milliseconds; later ones give each change that somebody has looked at a time of its own. Some filesystems, such as
  /// ext4 with inodes of 128 bytes, keep whole seconds.
  package var isSettled: Bool {
    let age = Clock.now.microseconds - changed.microseconds
    if changed.nanoseconds == 0 { return age > 2_000_000 }
    return System.hasDistinctChangeTimes || age > 20_000
  }

  init(_ status: statx) {
    device = UInt64(clinux_makedev(status.stx_dev_major, status.stx_dev_minor))
    inode = status.stx_ino
    mode = UInt32(status.stx_mode)
    linkCount = status.stx_nlink
    owner = status.stx_uid
    group = status.stx_gid
    specialDevice = UInt64(clinux_makedev(status.stx_rdev_major, status.stx_rdev_minor))
    size = status.stx_size
    blockSize = status.stx_blksize
    blocks = status.stx_blocks
    accessed = Timestamp(status.stx_atime)
    modified = Timestamp(status.stx_mtime)
    changed = Timestamp(status.stx_ctime)
    born = Timestamp(status.stx_btime)
  }
}

extension Timestamp {
  init(_ time: statx_timestamp) {
    self.init(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }
}

extension System {
  /// statx of `name` in `directory`, without following a symlink at its end.
  package static func status(of name: Span<UInt8>, in directory: Descriptor) throws(Errno) -> FileStatus {
    try withCString(name) { path throws(Errno) in
      try statusCall(directory, path, AT_SYMLINK_NOFOLLOW)
    }
  }

  /// statx of an open file, which may have been opened with O_PATH.
  package static func status(of descriptor: Descriptor) throws(Errno) -> FileStatus {
    var empty: CChar = 0
    return try statusCall(descriptor, &empty, 0x1000 /* AT_EMPTY_PATH */)
  }

  @inline(__always)
  private static func statusCall(
    _ directory: Descriptor, _ path: UnsafePointer<CChar>, _ flags: Int32
  ) throws(Errno) -> FileStatus {
    var status = statx()
    // STATX_BASIC_STATS | STATX_BTIME
    _ = try call(.statx) { clinux_statx(directory.rawValue, path, flags, 0xfff, &status) }
    return FileStatus(status)
  }
}
