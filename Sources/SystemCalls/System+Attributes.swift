internal import CLinux
internal import Glibc

/// A time to set on a file: utimensat(2)'s three ways.
package enum TimeChange: Sendable {
  /// UTIME_OMIT
  case keep
  /// UTIME_NOW
  case now
  case to(Timestamp)

  fileprivate var specification: timespec {
    switch self {
    case .keep: timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)
    case .now: timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff)
    case .to(let time): timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
    }
  }
}

/// The calls that change a file's attributes. Each works on files opened with O_PATH.
extension System {
  /// chmod(2) of an open file. A symlink has no mode to change: EOPNOTSUPP.
  package static func changeMode(of file: Descriptor, to mode: UInt32) throws(Errno) {
    try withProcPath(file) { path throws(Errno) in
      _ = try call(.chmod) { chmod(path, mode) }
    }
  }

  /// fchownat(2) of an open file; nil leaves owner or group alone.
  package static func changeOwner(of file: Descriptor, owner: UInt32?, group: UInt32?) throws(Errno) {
    var empty: CChar = 0
    _ = try call(.chown) {
      fchownat(file.rawValue, &empty, owner ?? .max, group ?? .max, 0x1000 /* AT_EMPTY_PATH */)
    }
  }

  /// utimensat(2) of an open file that is no symlink.
  package static func changeTimes(
    of file: Descriptor, accessed: TimeChange, modified: TimeChange
  ) throws(Errno) {
    let times: InlineArray<2, timespec> = [accessed.specification, modified.specification]
    try withProcPath(file) { path throws(Errno) in
      _ = try withUnsafePointer(to: times) { pointer throws(Errno) in
        try pointer.withMemoryRebound(to: timespec.self, capacity: 2) { specification throws(Errno) in
          try call(.utimens) { utimensat(AT_FDCWD, path, specification, 0) }
        }
      }
    }
  }

  /// utimensat(2) of `name` in `directory`, which may be a symlink itself.
  package static func changeTimes(
    of name: Span<UInt8>, in directory: Descriptor, accessed: TimeChange, modified: TimeChange
  ) throws(Errno) {
    let times: InlineArray<2, timespec> = [accessed.specification, modified.specification]
    try withCString(name) { path throws(Errno) in
      _ = try withUnsafePointer(to: times) { pointer throws(Errno) in
        try pointer.withMemoryRebound(to: timespec.self, capacity: 2) { specification throws(Errno) in
          try call(.utimens) { utimensat(directory.rawValue, path, specification, AT_SYMLINK_NOFOLLOW) }
        }
      }
    }
  }

  /// truncate(2) of an open file, writable or not: the kernel of the caller has checked already.
  package static func truncate(_ file: Descriptor, to size: Int64) throws(Errno) {
    try withProcPath(file) { path throws(Errno) in
      _ = try call(.truncate) { Glibc.truncate(path, off_t(size)) }
    }
  }

  /// ftruncate(2).
  package static func truncate(writable file: Descriptor, to size: Int64) throws(Errno) {
    _ = try call(.truncate) { ftruncate(file.rawValue, off_t(size)) }
  }
}
