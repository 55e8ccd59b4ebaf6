package import SystemCalls

extension Errno {
  /// What a refused change of metadata is to the caller of setxattr and its like.
  package init(_ error: MetadataError) {
    self =
      switch error {
      case .value(.tooLong): .argumentListTooLong
      case .value(.empty), .value(.notUTF8), .value(.controlCharacter), .value(.malformed): .invalidArgument
      case .unsupportedName: .notSupported
      case .emptyKey: .invalidArgument
      case .keyTooLong: .argumentListTooLong
      case .customMetadataFull: .noSpace
      case .readOnlyProperty: .notPermitted
      case .notOnFolders: .notPermitted
      case .notSet: .noData
      case .alreadySet: .fileExists
      case .conflictingFlags: .invalidArgument
      case .malformedJSON: .invalidArgument
      case .unknownMember: .invalidArgument
      // Not EAGAIN, which the kernel turns into EOPNOTSUPP.
      case .generationMismatch, .metagenerationMismatch: .canceled
      case .digestMismatch: .badMessage
      }
  }
}
