/// How the reading of an xattr ended.
package enum XattrAnswer: Sendable {
  /// The value was appended.
  case value
  /// The value is the base64 of the content's digest, `MD5Digest.base64Count` bytes, which has to be computed first:
  /// not on the thread that serves requests.
  case deferred
}

/// How the change of an xattr ended.
package enum XattrChange: Sendable {
  /// It is done.
  case done
  /// Nothing was changed: the content's digest has to be computed first, not on the thread that serves requests. Then
  /// the same change is to be asked for again, with that digest.
  case needsDigest
}
