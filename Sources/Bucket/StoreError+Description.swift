internal import SystemCalls

extension StoreError: CustomStringConvertible {
  /// The error in words, for messages.
  package var description: String {
    switch self {
    case .damagedRecord: "the record is damaged"
    case .newerRecord: "the record was written by a newer bucketfs"
    case .missingOverflow: "the record's overflow file is not in this bucket"
    case .damagedOverflow: "the record's overflow file is damaged"
    case .unreadableRecord: "the record may not be read"
    case .readOnlyBucket: "the bucket is read-only"
    case .locked: "another process keeps the object locked"
    case .noRoom: "the filesystem has no room for the record"
    case .system(let reason): reason.description
    }
  }
}
