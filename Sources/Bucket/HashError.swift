package import SystemCalls

/// Why there is no digest of a content.
package enum HashError: Error, Hashable, Sendable {
  /// Whoever asked has gone away.
  case cancelled
  /// Only regular files have a content.
  case notRegular
  /// The cryptographic library offers no MD5.
  case unavailable
  /// The content could not be read.
  case system(Errno)
}

extension Errno {
  /// What a missing digest is to the caller of getxattr.
  package init(_ error: HashError) {
    self =
      switch error {
      case .cancelled: .interrupted
      case .notRegular: .noData
      case .unavailable: .ioError
      case .system(let errno): errno
      }
  }
}
