internal import Bucket
internal import SystemCalls

/// What an operation was about when it failed.
struct FailureContext: Sendable {
  let bucket: String
  let object: String

  /// The object's address, for messages.
  var address: String { "gs://\(bucket)/\(object)" }

  func details(_ more: [String: any Sendable] = [:]) -> [String: any Sendable] {
    more.merging(["bucket": bucket, "object": object]) { $1 }
  }
}

/// What the errors of the core are to the caller: each case of each has its place here.
extension StorageError {
  init(_ error: ObjectError, _ context: FailureContext) {
    switch error {
    case .path(let refusal): self.init(refusal, context)
    case .notFound: self = .objectNotFound(object: context.object, serverError: context.details())
    case .inTheWay:
      self = .pathError(message: "A folder, a symlink or another file is in the way of \(context.address).")
    case .generationMismatch: self.init(condition: "generation", context)
    case .metadata(let error): self.init(error, context)
    case .store(let error): self.init(error, context)
    case .system(let error): self.init(error, context)
    }
  }

  init(_ refusal: ObjectPath.Refusal, _ context: FailureContext) {
    switch refusal {
    case .dotComponent: self = .pathError(message: "\(context.address) has a component \".\" or \"..\".")
    case .holdsNUL: self = .pathError(message: "\(context.address) holds a NUL.")
    case .tooLong: self = .pathError(message: "\(context.address) is too long for the filesystem.")
    case .isPrivate: self = .pathError(message: "\(context.address) is the bucket's own.")
    case .isRoot: self = .invalidArgument(message: "The root of bucket \(context.bucket) is no object.")
    }
  }

  init(_ error: MetadataError, _ context: FailureContext) {
    switch error {
    case .value(.empty): self.init(value: "is empty", context)
    case .value(.tooLong(let limit)): self.init(value: "is longer than \(limit) bytes", context)
    case .value(.notUTF8): self.init(value: "is not UTF-8", context)
    case .value(.controlCharacter): self.init(value: "holds a control character", context)
    case .value(.malformed(let rule)): self.init(value: "is not \(rule.description)", context)
    case .emptyKey: self.init(value: "has an empty key", context)
    case .keyTooLong: self.init(value: "has a key of more than \(Limits.key) bytes", context)
    case .customMetadataFull:
      self = .invalidArgument(
        message: "The custom metadata of \(context.address) would pass \(Limits.customTotal) bytes.")
    case .unsupportedName, .readOnlyProperty, .notOnFolders, .notSet, .alreadySet, .conflictingFlags, .malformedJSON,
      .unknownMember:
      self = .internalError(message: "\(context.address): the update was refused (\(error)).")
    case .generationMismatch: self.init(condition: "generation", context)
    case .metagenerationMismatch: self.init(condition: "metageneration", context)
    case .digestMismatch: self = .nonMatchingChecksum(serverError: context.details())
    }
  }

  init(_ error: StoreError, _ context: FailureContext) {
    switch error {
    case .damagedRecord, .newerRecord, .missingOverflow, .damagedOverflow:
      self = .internalError(message: "\(context.address): \(error).")
    case .unreadableRecord, .readOnlyBucket:
      self = .unauthorized(
        bucket: context.bucket, object: context.object, serverError: context.details(["reason": error.description]))
    case .locked: self = .retryLimitExceeded(serverError: context.details())
    case .noRoom:
      self = .quotaExceeded(bucket: context.bucket, serverError: context.details(["reason": error.description]))
    case .system(let error): self.init(error, context)
    }
  }

  init(_ error: HashError, _ context: FailureContext) {
    switch error {
    case .cancelled: self = .cancelled
    case .notRegular: self = .objectNotFound(object: context.object, serverError: context.details())
    case .unavailable: self = .internalError(message: "The cryptographic library offers no MD5.")
    case .system(let error): self.init(error, context)
    }
  }

  init(_ error: BucketOpenError, bucket: String) {
    let context = FailureContext(bucket: bucket, object: "")
    switch error {
    case .unopenable(.permissionDenied): self.init(.permissionDenied, context)
    case .unopenable(let error):
      self = .bucketNotFound(bucket: bucket, serverError: context.details(Self.details(of: error)))
    case .notDirectory:
      self = .bucketNotFound(bucket: bucket, serverError: context.details(["reason": "Not a directory"]))
    case .withoutXattrs:
      self = .internalError(message: "The filesystem of bucket \(bucket) keeps no user.* xattrs.")
    }
  }

  init(_ error: Errno, _ context: FailureContext) {
    let details = context.details(Self.details(of: error))
    switch error {
    case .noSuchFileOrDirectory, .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .staleFileHandle:
      self = .objectNotFound(object: context.object, serverError: details)
    case .permissionDenied, .notPermitted, .readOnlyFileSystem:
      self = .unauthorized(bucket: context.bucket, object: context.object, serverError: details)
    case .noSpace, .quotaExceeded, .fileTooLarge:
      self = .quotaExceeded(bucket: context.bucket, serverError: details)
    case .fileNameTooLong:
      self.init(ObjectPath.Refusal.tooLong, context)
    default:
      self = .unknown(message: "\(context.address): \(error).", serverError: details)
    }
  }

  private init(value problem: String, _ context: FailureContext) {
    self = .invalidArgument(message: "A value for \(context.address) \(problem).")
  }

  private init(condition: String, _ context: FailureContext) {
    self = .unknown(
      message: "\(context.address) has another \(condition) than was asked for.",
      serverError: context.details([Self.responseCode: Self.preconditionFailed]))
  }

  private static func details(of error: Errno) -> [String: any Sendable] {
    ["errno": error.rawValue, "reason": error.description]
  }
}
