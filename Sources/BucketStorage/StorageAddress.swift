internal import Bucket
internal import Foundation

/// The address of an object.
struct StorageAddress {
  /// The bucket's name; nil where the address tells by the directory.
  let bucket: String?
  let path: ObjectPath

  /// The address that `text` is. After `gs://` it is taken as it stands, as descriptions of references are; other
  /// addresses are URLs.
  init(_ text: String, directory: URL?) throws(StorageError) {
    if text.hasPrefix(Self.scheme) {
      self = StorageAddress(try Self.parts(of: text))
    } else if let url = URL(string: text) {
      self = try StorageAddress(url, directory: directory)
    } else {
      throw Self.malformed(text)
    }
  }

  init(_ url: URL, directory: URL?) throws(StorageError) {
    switch url.scheme {
    case "gs":
      // An object's name may hold what is a query or a fragment elsewhere.
      guard let text = url.absoluteString.removingPercentEncoding, text.hasPrefix(Self.scheme) else {
        throw Self.malformed(url)
      }
      (bucket, path) = try Self.parts(of: text)
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

  private init(_ parts: (bucket: String, path: ObjectPath)) {
    (bucket, path) = parts
  }

  /// What follows `gs://`.
  private static func parts(of text: String) throws(StorageError) -> (bucket: String, path: ObjectPath) {
    let rest = text.dropFirst(scheme.count)
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    guard end > rest.startIndex else { throw malformed(text) }
    return (String(rest[..<end]), ObjectPath(rest[end...].utf8))
  }

  private static let scheme = "gs://"

  private static func malformed(_ address: some CustomStringConvertible) -> StorageError {
    .pathError(message: "\(address) is no address of an object: gs://BUCKET/PATH.")
  }
}
