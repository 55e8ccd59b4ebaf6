internal import Bucket
public import Foundation
internal import SystemCalls

/// Buckets by name.
extension Storage {
  private static let registry = Mutex(BucketRegistry(environment: ProcessInfo.processInfo.environment))

  /// Makes a bucket known by its name to ``storage(url:)`` and, as the first one, to ``storage()``. A directory that was
  /// known by that name before is forgotten.
  ///
  /// The environment can do the same: `BUCKETFS_BUCKETS=NAME=DIRECTORY:NAME=DIRECTORY…`, read once.
  public static func register(bucket: String, directory: URL) {
    registry.withLock { $0.add(bucket, directory.standardizedFileURL) }
  }

  /// The bucket that became known first. Where none is known, each operation fails with
  /// ``StorageError/bucketNotFound(bucket:serverError:)``.
  public static func storage() -> Storage {
    registry.withLock { $0.first ?? Storage(known: "", nil) }
  }

  /// The bucket of an address, always the same instance. Where none is known by that name, each operation fails with
  /// ``StorageError/bucketNotFound(bucket:serverError:)``.
  ///
  /// - Parameter url: `gs://BUCKET`. The process ends where it is no such address.
  public static func storage(url: String) -> Storage {
    guard let address = try? StorageAddress(url, directory: nil), address.path.isRoot,
      let bucket = address.bucket
    else {
      fatalError("\(url) is no address of a bucket: gs://BUCKET")
    }
    return registry.withLock { $0.bucket(named: bucket) } ?? Storage(known: bucket, nil)
  }
}

/// The buckets that are known by name.
struct BucketRegistry: Sendable {
  private var buckets: [String: Storage] = [:]
  private var order: [String] = []

  init(environment: [String: String]) {
    for entry in (environment["BUCKETFS_BUCKETS"] ?? "").split(separator: ":") {
      let parts = entry.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      add(String(parts[0]), URL(filePath: String(parts[1]), directoryHint: .isDirectory).standardizedFileURL)
    }
  }

  mutating func add(_ name: String, _ directory: URL) {
    if buckets[name] == nil { order.append(name) }
    buckets[name] = Storage(known: name, directory)
  }

  var first: Storage? { order.first.flatMap { buckets[$0] } }

  func bucket(named name: String) -> Storage? { buckets[name] }
}
