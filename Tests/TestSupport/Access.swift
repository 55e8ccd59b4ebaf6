import SystemCalls

/// How a test reaches a file's attributes.
package enum Access: String, CaseIterable, Sendable {
  case path, descriptor

  /// The file, reached this way. A descriptor is open for reading.
  package func reach(_ path: Path) throws(Errno) -> any Attributed {
    switch self {
    case .path: path
    case .descriptor: try OpenFile(path)
    }
  }
}

/// The flags of setxattr(2).
package enum AttributeFlags {
  package static let create: Int32 = 1
  package static let replace: Int32 = 2
  package static let both: Int32 = 3
}
