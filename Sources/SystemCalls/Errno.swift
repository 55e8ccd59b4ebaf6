internal import CLinux
internal import Glibc

/// A failure that the kernel reported, or that bucketfs answers with, by its errno value.
///
/// Source: errno(3).
package struct Errno: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The errno of the calling thread, to be read right after the call that failed.
  static var current: Errno { Errno(rawValue: clinux_errno()) }
}

extension Errno {
  /// EPERM
  package static let notPermitted = Errno(rawValue: EPERM)
  /// ENOENT
  package static let noSuchFileOrDirectory = Errno(rawValue: ENOENT)
  /// EINTR
  package static let interrupted = Errno(rawValue: EINTR)
  /// EIO
  package static let ioError = Errno(rawValue: EIO)
  /// ENXIO
  package static let noSuchAddressOrDevice = Errno(rawValue: ENXIO)
  /// E2BIG
  package static let argumentListTooLong = Errno(rawValue: E2BIG)
  /// EBADF
  package static let badFileDescriptor = Errno(rawValue: EBADF)
  /// EAGAIN
  package static let resourceTemporarilyUnavailable = Errno(rawValue: EAGAIN)
  /// ENOMEM
  package static let noMemory = Errno(rawValue: ENOMEM)
  /// EACCES
  package static let permissionDenied = Errno(rawValue: EACCES)
  /// EBUSY
  package static let resourceBusy = Errno(rawValue: EBUSY)
  /// EEXIST
  package static let fileExists = Errno(rawValue: EEXIST)
  /// EXDEV
  package static let improperLink = Errno(rawValue: EXDEV)
  /// ENOTDIR
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  /// EISDIR
  package static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL
  package static let invalidArgument = Errno(rawValue: EINVAL)
  /// EMFILE
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  /// ENFILE
  package static let tooManyOpenFilesInSystem = Errno(rawValue: ENFILE)
  /// ENOTTY
  package static let noSuchIoctl = Errno(rawValue: ENOTTY)
  /// ETXTBSY
  package static let textFileBusy = Errno(rawValue: ETXTBSY)
  /// EFBIG
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  /// ENOSPC
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// EPIPE
  package static let brokenPipe = Errno(rawValue: EPIPE)
  /// EROFS
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  /// ERANGE
  package static let outOfRange = Errno(rawValue: ERANGE)
  /// ENAMETOOLONG
  package static let fileNameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// ENOSYS
  package static let noFunction = Errno(rawValue: ENOSYS)
  /// ENOTEMPTY
  package static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
  /// ELOOP
  package static let tooManySymbolicLinkLevels = Errno(rawValue: ELOOP)
  /// ENODATA
  package static let noData = Errno(rawValue: ENODATA)
  /// EBADMSG
  package static let badMessage = Errno(rawValue: EBADMSG)
  /// EOPNOTSUPP
  package static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// ENOTCONN
  package static let notConnected = Errno(rawValue: ENOTCONN)
  /// ECONNABORTED
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// ESTALE
  package static let staleFileHandle = Errno(rawValue: ESTALE)
  /// EDQUOT
  package static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// ECANCELED
  package static let canceled = Errno(rawValue: ECANCELED)
}

extension Errno {
  /// Its symbol, such as `ENOENT`, or its number.
  package var name: String {
    clinux_errno_name(rawValue).map { String(cString: $0) } ?? String(rawValue)
  }
}

extension Errno: CustomStringConvertible {
  /// The kernel's own words for the value, such as "No such file or directory".
  package var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // glibc's strerror_r may answer with a constant of its own instead of filling the buffer.
      String(cString: clinux_strerror(rawValue, buffer.baseAddress!, buffer.count))
    }
  }
}
