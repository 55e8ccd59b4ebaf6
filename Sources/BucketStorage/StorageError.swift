public import Foundation

/// Why an operation failed. The bucket is then as it was before.
///
/// Cases, codes and domain are those of Cloud Storage for Firebase. Where it has the server's answer in `serverError`,
/// here is what the local system said: `bucket` and `object` (`String`), and where a system call failed `errno`
/// (`Int32`) and `reason` (`String`, its words); where a condition did not hold, `ResponseErrorCode` is 412 (`Int`), the
/// status that Cloud Storage answers with.
public enum StorageError: Error, Sendable {
  /// Something else.
  case unknown(message: String, serverError: [String: any Sendable])
  /// There is no such object: nothing of that name, a folder, or a symlink, which is never followed.
  case objectNotFound(object: String, serverError: [String: any Sendable])
  /// No bucket is known by that name, or its directory is not there.
  case bucketNotFound(bucket: String, serverError: [String: any Sendable])
  /// Never thrown here. It is there so that code that looks at each case compiles.
  case projectNotFound(project: String, serverError: [String: any Sendable])
  /// The disk is full, or the user's share of it.
  case quotaExceeded(bucket: String, serverError: [String: any Sendable])
  /// Never thrown here. It is there so that code that looks at each case compiles.
  case unauthenticated(serverError: [String: any Sendable])
  /// The process may not do that, or the bucket cannot be written.
  case unauthorized(bucket: String, object: String, serverError: [String: any Sendable])
  /// Another process kept the object locked for 10 seconds.
  case retryLimitExceeded(serverError: [String: any Sendable])
  /// The content has another MD5 digest than the one given.
  case nonMatchingChecksum(serverError: [String: any Sendable])
  /// The object has `total` bytes, and the caller wanted at most `maxSize`.
  case downloadSizeExceeded(total: Int64, maxSize: Int64)
  /// The caller cancelled the operation.
  case cancelled
  /// A value that cannot be stored, or a number out of its range.
  case invalidArgument(message: String)
  /// The object's stored metadata is damaged, or something failed that should not.
  case internalError(message: String)
  /// The address is one of another bucket.
  case bucketMismatch(message: String)
  /// A name that no object can have, or one that a folder is in the way of.
  case pathError(message: String)

  /// The case without what comes with it.
  public var code: StorageErrorCode {
    switch self {
    case .unknown: .unknown
    case .objectNotFound: .objectNotFound
    case .bucketNotFound: .bucketNotFound
    case .projectNotFound: .projectNotFound
    case .quotaExceeded: .quotaExceeded
    case .unauthenticated: .unauthenticated
    case .unauthorized: .unauthorized
    case .retryLimitExceeded: .retryLimitExceeded
    case .nonMatchingChecksum: .nonMatchingChecksum
    case .downloadSizeExceeded: .downloadSizeExceeded
    case .cancelled: .cancelled
    case .invalidArgument: .invalidArgument
    case .internalError: .internalError
    case .bucketMismatch: .bucketMismatch
    case .pathError: .pathError
    }
  }

  /// Whether a condition such as `ifGenerationMatch` did not hold: an `unknown` error with the status 412, as Cloud
  /// Storage answers.
  public var isFailedPrecondition: Bool {
    serverError[Self.responseCode] as? Int == Self.preconditionFailed
  }

  static var responseCode: String { "ResponseErrorCode" }
  static var preconditionFailed: Int { 412 }

  /// What the system said; empty where it said nothing.
  var serverError: [String: any Sendable] {
    switch self {
    case .unknown(_, let details), .objectNotFound(_, let details), .bucketNotFound(_, let details),
      .projectNotFound(_, let details), .quotaExceeded(_, let details), .unauthenticated(let details),
      .unauthorized(_, _, let details), .retryLimitExceeded(let details), .nonMatchingChecksum(let details):
      details
    case .downloadSizeExceeded, .cancelled, .invalidArgument, .internalError, .bucketMismatch, .pathError:
      [:]
    }
  }
}

extension StorageError: CustomNSError {
  /// `StorageErrorDomain`.
  public static var errorDomain: String { StorageErrorDomain }

  /// The number of `code`.
  public var errorCode: Int { code.rawValue }

  /// The message under `NSLocalizedDescriptionKey`, and what the system said.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [:]
    for (key, value) in serverError { info[key] = value }
    info[NSLocalizedDescriptionKey] = description
    return info
  }
}

extension StorageError: LocalizedError, CustomStringConvertible {
  /// The same as `description`.
  public var errorDescription: String? { description }

  /// What went wrong, for people, in one sentence.
  public var description: String {
    switch self {
    case .unknown(let message, _), .invalidArgument(let message), .internalError(let message),
      .bucketMismatch(let message), .pathError(let message):
      message
    case .objectNotFound(let object, _): "Object \(object) does not exist."
    case .bucketNotFound(let bucket, _): "Bucket \(bucket) does not exist."
    case .projectNotFound(let project, _): "Project \(project) does not exist."
    case .quotaExceeded(let bucket, _): "There is no room left for bucket \(bucket)\(reason)."
    case .unauthenticated: "The user is not authenticated."
    case .unauthorized(let bucket, let object, _):
      "The process may not do this to gs://\(bucket)/\(object)\(reason)."
    case .retryLimitExceeded: "Another process kept the object locked."
    case .nonMatchingChecksum: "The content has another MD5 digest than the one given."
    case .downloadSizeExceeded(let total, let maxSize):
      "The object has \(total) bytes, more than the \(maxSize) that were allowed."
    case .cancelled: "The operation was cancelled."
    }
  }

  private var reason: String {
    (serverError["reason"] as? String).map { ": \($0)" } ?? ""
  }
}

extension StorageError: Equatable {
  /// Whether both are the same case about the same object.
  public static func == (left: StorageError, right: StorageError) -> Bool {
    left.code == right.code && left.description == right.description
  }
}
