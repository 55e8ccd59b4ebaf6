internal import Bucket
internal import Foundation

/// The address of an object.
struct StorageAddress {
  /// The bucket's name; nil where the address tells by the directory.
  let bucket: String?
  let path: ObjectPath

  init(_ url: URL, directory: URL?) throws(StorageError) {
    switch url.scheme {
    case "gs":
      guard let host = url.host, !host.isEmpty else { throw Self.malformed(url) }
      bucket = host
      path = ObjectPath(url.path(percentEncoded: false).utf8)
    case "file":
      let root = directory?.standardizedFileURL.path ?? ""
      let file = url.standardizedFileURL.path
      guard file == root || file.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
        throw .bucketMismatch(message: "\(url) is not in the directory of the bucket.")
      }
      bucket = nil
      path = ObjectPath(file.utf8.dropFirst(root.utf8.count))
    case "http", "https":
      // https://HOST/v0/b/BUCKET/o/PATH, the slashes of the path encoded.
      let parts = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count >= 4, parts[1] == "v0", parts[2] == "b" else { throw Self.malformed(url) }
      bucket = String(parts[3])
      let object = parts.count > 5 && parts[4] == "o" ? parts[5...].joined(separator: "/") : ""
      guard let decoded = object.removingPercentEncoding else { throw Self.malformed(url) }
      path = ObjectPath(decoded.utf8)
    default:
      throw Self.malformed(url)
    }
  }

  private static func malformed(_ url: URL) -> StorageError {
    .pathError(message: "\(url) is no address of an object: gs://BUCKET/PATH.")
  }
}
