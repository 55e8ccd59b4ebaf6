/// The digest of a content, and of which.
package struct ContentDigest: Hashable, Sendable {
  package var digest: MD5Digest
  /// Size and mtime of the content.
  package var pin: Pin
}
