internal import Bucket
internal import SystemCalls

extension MetadataError {
  /// What is wrong, and what would be right.
  var description: String {
    switch self {
    case .value(let reason): reason.description
    case .unsupportedName: "no object has such a name"
    case .emptyKey: "a custom entry needs a key of 1 to \(Limits.key) bytes"
    case .keyTooLong: "the key is longer than \(Limits.key) bytes"
    case .customMetadataFull:
      "custom metadata of one object has room for \(Limits.customTotal) bytes of keys and values"
    case .readOnlyProperty: "the property is read-only"
    case .notOnFolders: "folders have custom metadata only"
    case .notSet: "it is not set"
    case .alreadySet: "it is set already"
    case .conflictingFlags: "create and replace exclude each other"
    case .malformedJSON: "not the JSON that belongs here"
    case .unknownMember: "there is no such property"
    case .generationMismatch: "its generation is not the one that was asked for"
    case .metagenerationMismatch: "its metageneration is not the one that was asked for"
    case .digestMismatch: "the md5Hash is not that of the content"
    }
  }
}

extension ValueError {
  /// What is wrong, and what would be right.
  var description: String {
    switch self {
    case .empty: "the value is empty; unset removes a property"
    case .tooLong(let limit): "the value is longer than \(limit) bytes"
    case .notUTF8: "the value is not UTF-8"
    case .controlCharacter: "the value holds a control character, which no HTTP header can"
    case .malformed(let rule): "the value is not \(rule.description)"
    }
  }
}
