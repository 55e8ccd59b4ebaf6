/// The domain of `StorageError` as an `NSError`: that of Cloud Storage for Firebase.
public let StorageErrorDomain = "FIRStorageErrorDomain"

/// The codes of `StorageError`, with the numbers that Cloud Storage for Firebase gives them.
///
/// Source: `FIRStorageErrorCode` of the Firebase SDK.
public enum StorageErrorCode: Int, Error, CaseIterable, Sendable {
  /// Something else, such as a condition that does not hold.
  case unknown = -13000
  /// There is no object of that name.
  case objectNotFound = -13010
  /// No bucket is known by that name, or its directory is not there.
  case bucketNotFound = -13011
  /// Never given here: a bucket on disk belongs to no project.
  case projectNotFound = -13012
  /// The disk is full, or the user's share of it.
  case quotaExceeded = -13013
  /// Never given here: the process is who it is.
  case unauthenticated = -13020
  /// The process may not do that.
  case unauthorized = -13021
  /// Another process kept the object locked for 10 seconds.
  case retryLimitExceeded = -13030
  /// The content has another MD5 digest than the one given.
  case nonMatchingChecksum = -13031
  /// The object is longer than the caller wanted to have in memory.
  case downloadSizeExceeded = -13032
  /// The caller cancelled the operation.
  case cancelled = -13040
  /// A value that cannot be stored, or a number out of its range.
  case invalidArgument = -13050
  /// The address is one of another bucket.
  case bucketMismatch = -13051
  /// The object's stored metadata is damaged, or something failed that should not.
  case internalError = -13052
  /// A name that no object can have, or one that a folder is in the way of.
  case pathError = -13053
}
