package import SystemCalls

/// Why an object's record could not be read or written. The stored state is then as it was.
package enum StoreError: Error, Hashable, Sendable {
  /// The record is damaged or forged.
  case damagedRecord
  /// The record was made by a later bucketfs.
  case newerRecord
  /// The record's overflow file is not in this bucket.
  case missingOverflow
  /// The overflow file's content is not what its name says.
  case damagedOverflow
  /// This process may not read the record.
  case unreadableRecord
  /// The bucket is open for reading only.
  case readOnlyBucket
  /// Another process kept the object locked for too long.
  case locked
  /// The backing filesystem has no room for the record, neither in the xattrs nor in `.bucketfs`.
  case noRoom
  /// The backing filesystem refused a call that should have worked.
  case system(Errno)

  init(_ error: RecordError) {
    self =
      switch error {
      case .damaged: .damagedRecord
      case .newerVersion: .newerRecord
      }
  }

  /// Whether the object's record is unusable as it is, which stays so until somebody removes it.
  package var isAboutTheRecord: Bool {
    switch self {
    case .damagedRecord, .newerRecord, .missingOverflow, .damagedOverflow: true
    case .unreadableRecord, .readOnlyBucket, .locked, .noRoom, .system: false
    }
  }
}
