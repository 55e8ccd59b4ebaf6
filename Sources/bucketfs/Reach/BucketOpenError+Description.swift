internal import Bucket
internal import SystemCalls

extension BucketOpenError {
  /// What is wrong with the directory at `path`, and what would be right.
  func description(of path: String) -> String {
    switch self {
    case .unopenable(let errno): errno.description
    case .notDirectory: "it is not a directory"
    case .withoutXattrs(let type):
      "its filesystem (\(MountTable.typeOfFileSystem(at: path) ?? "type 0x" + String(type, radix: 16))) keeps no user.* xattrs"
    }
  }
}
