internal import SystemCalls

extension BucketFinding.Problem {
  /// A word for programs, which stays the same.
  package var code: StaticString {
    switch self {
    case .record(.damagedRecord): "damaged-record"
    case .record(.newerRecord): "newer-record"
    case .record(.missingOverflow): "missing-overflow"
    case .record(.damagedOverflow): "damaged-overflow"
    case .record(.unreadableRecord), .record(.readOnlyBucket), .record(.locked), .record(.noRoom), .record(.system),
      .unreadable:
      "unreadable"
    case .notTakenIn: "not-taken-in"
    case .overLimits: "over-limits"
    case .refusedName: "refused-name"
    case .refusedKeys: "refused-keys"
    case .unreferenced: "unreferenced-overflow"
    case .leftOver: "left-over"
    case .foreign: "foreign-file"
    }
  }
}

extension BucketFinding.Problem: CustomStringConvertible {
  /// The problem in words, to follow the name.
  package var description: String {
    switch self {
    case .record(let error): "\(error)"
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .notTakenIn(let names): "the next change of its metadata will take in \(Self.list(names))"
    case .overLimits(let keys): "over the limits of custom metadata, and never taken in: \(Self.list(keys))"
    case .refusedName: "Cloud Storage takes no object of this name"
    case .refusedKeys(let keys): "Cloud Storage takes no custom metadata like \(Self.list(keys))"
    case .unreferenced: "no record refers to this overflow file"
    case .leftOver: "left by a write that was cut short"
    case .foreign: "not made by bucketfs"
    }
  }

  private static func list(_ names: [[UInt8]]) -> String {
    names.map { $0.displayed }.joined(separator: ", ")
  }
}

extension BucketEject.Loss.Reason: CustomStringConvertible {
  /// The loss in words, to follow the name.
  package var description: String {
    switch self {
    case .property(let property, let reason): "\(property.name) could not be written: \(reason)"
    case .removedType: "that its contentType was removed cannot be kept"
    case .entry(let key, .invalidArgument): "customMetadata.\(key.displayed) has no plain xattr name"
    case .entry(let key, .outOfRange): "customMetadata.\(key.displayed) is too long for an xattr name"
    case .entry(let key, let reason): "customMetadata.\(key.displayed) could not be written: \(reason)"
    case .record(let error): "\(error)"
    case .unreadable(let reason): "cannot be read: \(reason)"
    }
  }
}

extension [UInt8] {
  /// The bytes as text on one line: what is not UTF-8 as U+FFFD, control characters as spaces.
  package var displayed: String {
    String(
      String.UnicodeScalarView(
        String(decoding: self, as: UTF8.self).unicodeScalars.map { scalar in
          scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) ? " " : scalar
        }))
  }
}
