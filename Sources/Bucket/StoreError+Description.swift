internal import SystemCalls

extension StoreError: CustomStringConvertible {
  /// What is wrong, to follow the name of the object.
  package var description: String {
    switch self {
    case .damagedRecord: "its metadata record is damaged"
    case .newerRecord: "its metadata record was made by a later version of bucketfs"
    case .missingOverflow: "the file with the rest of its metadata is not in this bucket"
    case .damagedOverflow: "the file with the rest of its metadata is damaged"
    case .unreadableRecord: "its metadata may not be read"
    case .readOnlyBucket: "the bucket is read-only"
    case .locked: "another process kept its metadata locked for 10 seconds"
    case .noRoom: "the backing filesystem has no room for its metadata"
    case .system(let reason): reason.description
    }
  }
}
