package import BucketFileSystem
package import SystemCalls

/// What the daemon reports about itself as `user.bucketfs.status` of the root folder: one JSON object.
///
/// `requests` holds the requests served so far by kind, `latency` for each kind the nanoseconds that half, nine tenths
/// and 99 of 100 did not exceed, `errors` how often each errno was the answer; `openFiles`, `openDirectories`, `inodes`
/// and `descriptors` what is held now; `watch` whether changes made behind the mount's back are seen, `watchRefused` why
/// not, `watchEvents` how many were and `watchOverflows` how often they were too many; `attributesForgotten` and
/// `namesForgotten` how often the kernel was told to forget something; the timeouts are those in force, in milliseconds;
/// `passthrough` whether the kernel does data by itself, and `passthroughRefused` why not; `pid` the daemon, and
/// `sandbox` what it has given up.
package final class DaemonStatus: Sendable {
  /// Counted by the session.
  package let requests = RequestCounts()
  package let notices = SessionNotices()
  private let backings: SessionBackings
  private let watchRefusal = Mutex<Errno?>(nil)
  private let fileSystem = Mutex<BucketFileSystem?>(nil)
  private let sandbox = Mutex<SandboxState?>(nil)

  package init(backings: SessionBackings) {
    self.backings = backings
  }

  /// From now on what the file system holds is reported too, until it is nil: the file system answers with this report,
  /// so that the two would keep each other.
  package func report(on fileSystem: BucketFileSystem?) {
    self.fileSystem.withLock { $0 = fileSystem }
  }

  /// Changes made behind the mount's back are not seen though they were to be.
  package func report(watchRefusal reason: Errno) {
    watchRefusal.withLock { $0 = reason }
  }

  /// From now on the sandbox is reported too.
  package func report(on sandbox: SandboxState) {
    self.sandbox.withLock { $0 = sandbox }
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
    appendTrust(to: &output)
    output.append(backings.isActive ? ",\"passthrough\":true" : ",\"passthrough\":false")
    if let reason = backings.refusal {
      output.append(",\"passthroughRefused\":\"")
      output.append(Array(reason.name.utf8).span)
      output.append("\"")
    }
    append(",\"pid\":", Int(System.processIdentifier), to: &output)
    sandbox.withLock { $0 }?.append(to: &output)
    output.append("}")
    // Who asks for the length and then for the value must not find it longer: blanks behind a JSON object say nothing.
    while output.count % Self.padding != 0, !output.overflowed { output.append(UInt8(ascii: " ")) }
  }

  /// Bytes to whose multiple the text is filled up.
  private static let padding = 4096

  private func appendTrust(to output: inout ByteBuffer) {
    guard let fileSystem = fileSystem.withLock({ $0 }) else { return }
    output.append(fileSystem.isWatched ? ",\"watch\":true" : ",\"watch\":false")
    if let reason = watchRefusal.withLock({ $0 }) {
      output.append(",\"watchRefused\":\"")
      output.append(Array(reason.name.utf8).span)
      output.append("\"")
    }
    append(",\"watchEvents\":", Int(clamping: fileSystem.watchCounts.events), to: &output)
    append(",\"watchOverflows\":", Int(clamping: fileSystem.watchCounts.overflows), to: &output)
    append(",\"attributesForgotten\":", Int(clamping: notices.counts.attributes), to: &output)
    append(",\"namesForgotten\":", Int(clamping: notices.counts.names), to: &output)
    append(",\"attributeTimeout\":", Int(fileSystem.options.attributeTimeout * 1000), to: &output)
    append(",\"entryTimeout\":", Int(fileSystem.options.entryTimeout * 1000), to: &output)
    append(",\"negativeTimeout\":", Int(fileSystem.options.negativeTimeout * 1000), to: &output)
  }

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
