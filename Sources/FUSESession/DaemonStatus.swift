package import BucketFileSystem
package import SystemCalls

/// What the daemon reports about itself as `user.bucketfs.status` of the root folder: one JSON object.
///
/// `requests` holds the requests served so far by kind; `openFiles`, `openDirectories`, `inodes` and `descriptors` what
/// is held now; `passthrough` whether the kernel does data by itself.
package final class DaemonStatus: Sendable {
  /// Counted by the session.
  package let requests = RequestCounts()
  private let backings: SessionBackings
  private let fileSystem = Mutex<BucketFileSystem?>(nil)

  package init(backings: SessionBackings) {
    self.backings = backings
  }

  /// From now on what the file system holds is reported too.
  package func report(on fileSystem: BucketFileSystem) {
    self.fileSystem.withLock { $0 = fileSystem }
  }

  /// Appends the object.
  package func append(to output: inout ByteBuffer) {
    output.append("{\"requests\":{")
    var isFirst = true
    for (name, count) in requests.all {
      output.append(isFirst ? "\"" : ",\"")
      output.append(name)
      output.append("\":")
      output.append(decimal: count)
      isFirst = false
    }
    output.append("}")
    if let counts = fileSystem.withLock({ $0 })?.counts {
      append(",\"openFiles\":", counts.files, to: &output)
      append(",\"openDirectories\":", counts.directories, to: &output)
      append(",\"inodes\":", counts.inodes, to: &output)
      append(",\"descriptors\":", counts.descriptors, to: &output)
    }
    output.append(backings.isActive ? ",\"passthrough\":true}" : ",\"passthrough\":false}")
  }

  private func append(_ member: StaticString, _ number: Int, to output: inout ByteBuffer) {
    output.append(member)
    output.append(decimal: UInt64(number))
  }
}
