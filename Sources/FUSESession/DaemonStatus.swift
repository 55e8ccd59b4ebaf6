package import BucketFileSystem
package import SystemCalls

/// What the daemon reports about itself as `user.bucketfs.status` of the root folder: one JSON object.
///
/// `requests` holds the requests served so far by kind, `latency` for each kind the nanoseconds that half, nine tenths
/// and 99 of 100 did not exceed, `errors` how often each errno was the answer; `openFiles`, `openDirectories`, `inodes`
/// and `descriptors` what is held now; `passthrough` whether the kernel does data by itself, and `passthroughRefused`
/// why not.
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
    appendLatencies(to: &output)
    appendErrors(to: &output)
    if let counts = fileSystem.withLock({ $0 })?.counts {
      append(",\"openFiles\":", counts.files, to: &output)
      append(",\"openDirectories\":", counts.directories, to: &output)
      append(",\"inodes\":", counts.inodes, to: &output)
      append(",\"descriptors\":", counts.descriptors, to: &output)
    }
    output.append(backings.isActive ? ",\"passthrough\":true" : ",\"passthrough\":false")
    if let reason = backings.refusal {
      output.append(",\"passthroughRefused\":\"")
      output.append(Array(reason.name.utf8).span)
      output.append("\"")
    }
    output.append("}")
    // Who asks for the length and then for the value must not find it longer: blanks behind a JSON object say nothing.
    while output.count % Self.padding != 0, !output.overflowed { output.append(UInt8(ascii: " ")) }
  }

  /// Bytes to whose multiple the text is filled up.
  private static let padding = 4096

  private func appendLatencies(to output: inout ByteBuffer) {
    output.append(",\"latency\":{")
    var isFirst = true
    for kind in RequestCounts.kinds {
      guard let times = requests.latencies.percentiles(of: kind.opcode, [0.5, 0.9, 0.99]) else { continue }
      output.append(isFirst ? "\"" : ",\"")
      output.append(kind.name)
      append("\":{\"p50\":", Int(clamping: times[0]), to: &output)
      append(",\"p90\":", Int(clamping: times[1]), to: &output)
      append(",\"p99\":", Int(clamping: times[2]), to: &output)
      output.append("}")
      isFirst = false
    }
    output.append("}")
  }

  private func appendErrors(to output: inout ByteBuffer) {
    output.append(",\"errors\":{")
    var isFirst = true
    for (errno, count) in requests.errors.all {
      output.append(isFirst ? "\"" : ",\"")
      output.append(Array(Errno(rawValue: errno).name.utf8).span)
      append("\":", Int(clamping: count), to: &output)
      isFirst = false
    }
    output.append("}")
  }

  private func append(_ member: StaticString, _ number: Int, to output: inout ByteBuffer) {
    output.append(member)
    output.append(decimal: UInt64(number))
  }
}
