internal import Glibc
internal import CLinux

/// How setxattr(2) treats a value that is there already.
package struct XattrFlags: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// XATTR_CREATE: fail if it is set.
  package static let create = XattrFlags(rawValue: 1)
  /// XATTR_REPLACE: fail if it is not set.
  package static let replace = XattrFlags(rawValue: 2)
}

/// Extended attributes of an open file, which may have been opened with O_PATH: by way of /proc, since fsetxattr,
/// and setxattrat without a path, refuse such descriptors.
extension System {
  /// getxattr(2). Returns the value's length; ENODATA where it is not set, ERANGE where the buffer is too small. An
  /// empty buffer asks for the length alone.
  package static func getXattr(
    _ name: Span<UInt8>, of file: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    guard let length = try getXattrIfSet(name, of: file, into: buffer) else { throw .noData }
    return length
  }

  /// The same, nil where it is not set: for those who expect that, since throwing costs more than the call.
  package static func getXattrIfSet(
    _ name: Span<UInt8>, of file: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int? {
    try withCString(name) { attribute throws(Errno) in
      try smallFirst(buffer) { memory throws(Errno) in
        try call(.getxattr, unless: .noData) {
          clinux_getxattr(file.rawValue, attribute, memory.baseAddress, memory.count)
        }
      }
    }
  }

  /// Runs `body` with the start of a large buffer, and with all of it only where that is too small: the kernel clears as
  /// much memory of its own as it is offered, and most values are short.
  @inline(__always)
  private static func smallFirst<Length>(
    _ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeMutableRawBufferPointer) throws(Errno) -> Length
  ) throws(Errno) -> Length {
    let small = 1024
    guard buffer.count > small else { return try body(buffer) }
    do throws(Errno) {
      return try body(UnsafeMutableRawBufferPointer(rebasing: buffer[..<small]))
    } catch .outOfRange {
      return try body(buffer)
    }
  }

  /// setxattr(2).
  package static func setXattr(
    _ name: Span<UInt8>, of file: Descriptor, to value: Span<UInt8>, _ flags: XattrFlags = []
  ) throws(Errno) {
    try withCString(name) { attribute throws(Errno) in
      _ = try value.withUnsafeBytes { bytes throws(Errno) in
        try call(.setxattr) {
          clinux_setxattr(file.rawValue, attribute, bytes.baseAddress, bytes.count, flags.rawValue)
        }
      }
    }
  }

  /// removexattr(2).
  package static func removeXattr(_ name: Span<UInt8>, of file: Descriptor) throws(Errno) {
    try withCString(name) { attribute throws(Errno) in
      _ = try call(.removexattr) { clinux_removexattr(file.rawValue, attribute) }
    }
  }

  /// listxattr(2): the names, each with a NUL behind it. Returns their total length.
  package static func listXattrs(
    of file: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try smallFirst(buffer) { memory throws(Errno) in
      try call(.listxattr) {
        clinux_listxattr(file.rawValue, memory.baseAddress?.assumingMemoryBound(to: CChar.self), memory.count)
      }
    }
  }
}
