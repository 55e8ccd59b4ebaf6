internal import Bucket
internal import SystemCalls

/// Why a command could not read or change an object's metadata.
enum AccessError: Error, Hashable {
  /// What the kernel or the mount said.
  case system(Errno)
  /// What the store said.
  case store(StoreError)
  /// The change is refused.
  case refused(MetadataError)

  /// What is wrong, to follow the name of the object.
  var description: String {
    switch self {
    case .system(.noData): "it has no properties: only files and folders of a bucket do"
    case .system(.canceled): "its generation or metageneration is not the one that was asked for"
    case .system(.badMessage): MetadataError.digestMismatch.description
    case .system(.noSpace): "no room: \(MetadataError.customMetadataFull.description)"
    case .system(.ioError): "its metadata record is unusable; bucketfs check says why"
    case .system(let reason): reason.description
    case .store(let reason): reason.description
    case .refused(let reason): reason.description
    }
  }
}
