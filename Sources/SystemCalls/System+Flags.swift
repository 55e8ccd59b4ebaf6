internal import CLinux

/// What chattr and lsattr ask of a file: its flags as a word, or with its project and extent hint as a `struct fsxattr`.
///
/// Source: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IOC_FSGETXATTR and FS_IOC_FSSETXATTR of linux/fs.h; ioctl_iflags(2).
package enum FlagRequest: UInt32, Sendable {
  case getFlags = 0x8008_6601
  case setFlags = 0x4008_6602
  case getAttributes = 0x801c_581f
  case setAttributes = 0x401c_5820

  /// Whether it changes the file.
  package var isChange: Bool { self == .setFlags || self == .setAttributes }

  /// Bytes of the value.
  package var size: Int { self == .getFlags || self == .setFlags ? 4 : 28 }
}

/// Room for the value of each `FlagRequest`.
package typealias FlagValue = InlineArray<28, UInt8>

extension System {
  /// ioctl(2) with one of these requests, on a file that was not opened with O_PATH.
  package static func flags(_ request: FlagRequest, of file: Descriptor, _ value: inout FlagValue) throws(Errno) {
    // The kernel takes four bytes for flags, whatever the number of the request says.
    _ = try call(.ioctl) {
      withUnsafeMutableBytes(of: &value) { clinux_ioctl(file.rawValue, UInt(request.rawValue), $0.baseAddress) }
    }
  }
}
