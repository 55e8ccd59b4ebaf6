package import SystemCalls

extension Errno {
  /// What a failure of the store is to the caller of an xattr call.
  package init(_ error: StoreError) {
    self =
      switch error {
      case .damagedRecord, .newerRecord, .missingOverflow, .damagedOverflow: .ioError
      case .unreadableRecord: .permissionDenied
      case .readOnlyBucket: .readOnlyFileSystem
      case .locked: .resourceBusy
      case .noRoom: .noSpace
      case .system(let reason): reason
      }
  }
}
