/// What a record says of one fixed property.
package enum StoredValue: Hashable, Sendable {
  /// Nothing.
  case unset
  /// That it was removed, so that none is derived. Of `contentType` alone.
  case removed
  /// Its text.
  case value([UInt8])
}
