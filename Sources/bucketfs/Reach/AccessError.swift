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
  /// A mount with -o list=all lists what is not stored too.
  case derivedValuesListed
  /// A contentType that was set can be taken back only where the record is at hand.
  case cannotForgetType

  /// Runs calls of the system's own.
  static func wrap<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(AccessError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw .system(error)
    }
  }

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
    case .derivedValuesListed: "the mount lists derived values (-o list=all); name the bucket's directory instead"
    case .cannotForgetType:
      "through a mount a contentType cannot be made unset, only removed; name the bucket's directory instead"
    }
  }
}
