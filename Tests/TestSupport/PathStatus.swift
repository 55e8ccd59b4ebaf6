import CTestSupport

/// What statx(2) tells of a file, as far as tests compare it.
package struct PathStatus: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// Type and permissions.
  package var mode: UInt32
  package var links: UInt32
  package var owner: UInt32
  package var group: UInt32
  package var size: UInt64
  /// Nanoseconds since 1970, as are the others.
  package var accessed: Int64
  package var modified: Int64
  package var changed: Int64
  /// 0 where the filesystem keeps none.
  package var born: Int64

  init(_ status: statx) {
    device = UInt64(status.stx_dev_major) << 32 | UInt64(status.stx_dev_minor)
    inode = status.stx_ino
    mode = UInt32(status.stx_mode)
    links = status.stx_nlink
    owner = status.stx_uid
    group = status.stx_gid
    size = status.stx_size
    accessed = Self.nanoseconds(status.stx_atime)
    modified = Self.nanoseconds(status.stx_mtime)
    changed = Self.nanoseconds(status.stx_ctime)
    born = Self.nanoseconds(status.stx_btime)
  }

  /// The permissions with setuid, setgid and sticky.
  package var permissions: UInt32 { mode & 0o7777 }
  package var isDirectory: Bool { mode & 0o170000 == 0o040000 }

  private static func nanoseconds(_ time: statx_timestamp) -> Int64 {
    time.tv_sec * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
