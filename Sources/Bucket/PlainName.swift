internal import SystemCalls

/// What an xattr is to an object that another program, and not bucketfs, has set on its backing file.
package enum PlainName: Hashable, Sendable {
  /// A fixed property.
  case property(StoredProperty)
  /// The custom entry whose key is this part of the name. A read-only property's name is one: `user.size` on a backing
  /// file can only mean somebody's own `size`.
  case custom(Range<Int>)
  /// Nothing: another namespace, the record itself, a name that stands for many entries, or a digest of which nobody
  /// knows what content it was made of.
  case ignored

  package init(_ name: Span<UInt8>) {
    let prefix = 5
    switch AttributeName(name) {
    case .property(let property):
      switch property.stored {
      case .md5Hash?: self = .ignored
      case let stored?: self = .property(stored)
      case nil: self = .custom(prefix..<name.count)
      }
    case .custom(let key): self = key.lowerBound == prefix ? .custom(key) : .ignored
    case .customMetadata, .json, .update, .status, .reserved, .emptyKey, .security, .unsupported: self = .ignored
    }
  }
}
