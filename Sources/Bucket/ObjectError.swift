package import SystemCalls

/// Why something could not be done with an object that was named. The bucket is then as it was.
package enum ObjectError: Error, Hashable, Sendable {
  /// Nothing can have that name.
  case path(ObjectPath.Refusal)
  /// There is no such object: nothing, a folder, or what has no properties.
  case notFound
  /// What has that name, or the name of a folder that would have to be there, is in the way.
  case inTheWay
  /// It has another generation than was asked for.
  case generationMismatch
  /// The metadata cannot be stored.
  case metadata(MetadataError)
  /// The record could not be read or written.
  case store(StoreError)
  /// The backing filesystem refused a call.
  case system(Errno)
}
