internal import Bucket
internal import BucketFileSystem
internal import FUSESession
internal import SystemCalls

/// `-o watch=…`, and for how long the kernel may trust what it knows with it.
extension MountDaemon {
  /// Begins to watch the backing directory, where that is asked for and can be done. The one place where that takes the
  /// right to; what follows needs CAP_DAC_READ_SEARCH alone.
  func beginWatch(_ root: Descriptor, _ status: DaemonStatus) -> (Watch?, FileSystemOptions) {
    guard options.watch == .auto else { return (nil, options.fileSystem) }
    let above = directory == "/" ? "/" : directory + "/"
    do throws(Errno) {
      let watch = try Watch(root) { table in
        MountTable.mounts(in: table).map(\.place).filter { $0.hasPrefix(above) && $0 != directory }
          .map { Array($0.utf8) }
      }
      return (watch, options.fileSystem)
    } catch {
      status.report(watchRefusal: error)
      let limited = options.fileSystem.limited(to: BucketFileSystem.unwatchedTimeout)
      let consequence = limited.isLimited ? "; timeouts are 1 second at most" : ""
      Log.write(.warning, .watch, "changes in the directory itself are not watched: \(error)\(consequence)")
      return (nil, limited.options)
    }
  }
}

extension FileSystemOptions {
  /// The same with no timeout above `seconds`, and whether any was.
  fileprivate func limited(to seconds: Double) -> (options: FileSystemOptions, isLimited: Bool) {
    var limited = self
    limited.attributeTimeout = min(attributeTimeout, seconds)
    limited.entryTimeout = min(entryTimeout, seconds)
    limited.negativeTimeout = min(negativeTimeout, seconds)
    let longest = max(attributeTimeout, entryTimeout, negativeTimeout)
    return (limited, longest > seconds)
  }
}
