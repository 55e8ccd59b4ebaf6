/// The fixed properties that a record holds: what a user may set, custom metadata aside. The raw value is the
/// property's key in the record's CBOR map.
package enum StoredProperty: UInt8, CaseIterable, Sendable {
  case md5Hash = 7
  case contentType = 9
  case cacheControl = 10
  case contentDisposition = 11
  case contentEncoding = 12
  case contentLanguage = 13

  /// The property's place among all of them, from 0.
  var index: Int {
    self == .md5Hash ? 0 : Int(rawValue) - 8
  }

  /// Whether a record can say of it that it was removed. Only a type is derived when nobody set it, so only its absence
  /// needs to be stored.
  package var canBeRemoved: Bool { self == .contentType }

  /// The name of the property, which is that of its xattr behind `user.`.
  package var name: StaticString {
    switch self {
    case .md5Hash: "md5Hash"
    case .contentType: "contentType"
    case .cacheControl: "cacheControl"
    case .contentDisposition: "contentDisposition"
    case .contentEncoding: "contentEncoding"
    case .contentLanguage: "contentLanguage"
    }
  }
}
