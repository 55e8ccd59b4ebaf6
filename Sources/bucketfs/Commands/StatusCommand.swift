internal import Bucket
internal import SystemCalls

/// `bucketfs status`: what a mount's daemon reports about itself.
struct StatusCommand {
  static let description = CommandDescription(
    name: "status", summary: "show what a mount serves, and how fast", operands: ["MOUNTPOINT"],
    operandKind: .folder, count: 1...1,
    options: [
      OptionDescription(name: "json", help: "print the report itself, an object"),
      OptionDescription(name: "prometheus", help: "print metrics in Prometheus's text format"),
    ],
    details: [
      """
      Shows requests by kind with the time that half, nine tenths and 99 of 100 of them took in the daemon, errors by \
      their names, open files, remembered inodes, whether changes made in the directory itself are seen at once (watch) \
      and how long the kernel trusts what it knows (milliseconds), whether the kernel reads and writes data by itself \
      (passthrough), or why not, and what the daemon has given up (sandbox): the version of Landlock in force, 0 for \
      none, and the capabilities that it has kept. For root and the user of the daemon.
      """
    ],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let report = try report(of: invocation.operands[0])
    if invocation.has("json") { return Output.print(String(decoding: report, as: UTF8.self) + "\n") }
    let members = (try? JSONValue.members(of: report.span, depth: 3)) ?? []
    Output.print(invocation.has("prometheus") ? metrics(members) : table(members))
  }

  private static func report(of mountpoint: Argument) throws(Command.Failure) -> [UInt8] {
    var value = ByteBuffer(capacity: 1 << 16)
    do throws(Errno) {
      let root = try System.open(mountpoint.bytes.span, in: .workingDirectory, [.path])
      try value.fill { memory throws(Errno) in
        try System.getXattr(("user.bucketfs.status" as StaticString).bytes, of: root.descriptor, into: memory)
      }
      // It is filled up with blanks, so that it does not outgrow its own length.
      return Array(value.array.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
    } catch .noData, .notSupported {
      throw .failed("'\(mountpoint.text)' is not the mountpoint of a bucket")
    } catch .permissionDenied {
      throw .failed("cannot ask the daemon of '\(mountpoint.text)': it answers root and its own user only")
    } catch {
      throw .failed("cannot ask the daemon of '\(mountpoint.text)': \(error.explained)")
    }
  }

  // MARK: For people

  private static func table(_ members: [JSONMember]) -> String {
    var text = ""
    var rows: [[String]] = []
    let latencies = object("latency", of: members)
    for member in object("requests", of: members) {
      let times = object(name(member), of: latencies)
      rows.append(
        [name(member), number(member.value)] + ["p50", "p90", "p99"].map { microseconds(value($0, of: times)) })
    }
    let head = ["requests", "number", "p50 µs", "p90 µs", "p99 µs"]
    text += Table.text([head] + rows, right: [1, 2, 3, 4])
    let errors = object("errors", of: members)
    if !errors.isEmpty {
      text += "\n" + Table.text([["errors", "number"]] + errors.map { [name($0), number($0.value)] }, right: [1])
    }
    var rest: [[String]] = []
    for member in members {
      switch member.value {
      case .integer: rest.append([name(member), number(member.value)])
      case .boolean(let isTrue): rest.append([name(member), isTrue ? "yes" : "no"])
      case .string(let text): rest.append([name(member), Table.escaped(text)])
      default: break
      }
    }
    return text + "\n" + Table.text(rest + sandbox(object("sandbox", of: members)))
  }

  private static func sandbox(_ members: [JSONMember]) -> [[String]] {
    members.map { member in
      let text: String
      switch member.value {
      case .boolean(let isTrue): text = isTrue ? "yes" : "no"
      case .array(let values):
        text = values.map { if case .string(let name) = $0 { Table.escaped(name) } else { "" } }
          .joined(separator: " ")
      default: text = number(member.value)
      }
      return ["sandbox." + name(member), text]
    }
  }

  private static func microseconds(_ value: JSONValue?) -> String {
    guard case .integer(let nanoseconds) = value else { return "" }
    return nanoseconds < 10_000
      ? "\(nanoseconds / 1000).\(nanoseconds % 1000 / 100)" : String((nanoseconds + 500) / 1000)
  }

  // MARK: For Prometheus

  /// Source: the text-based exposition format of Prometheus, version 0.0.4.
  private static func metrics(_ members: [JSONMember]) -> String {
    var text = "# HELP bucketfs_requests_total Requests served, by kind.\n# TYPE bucketfs_requests_total counter\n"
    for member in object("requests", of: members) {
      text += "bucketfs_requests_total{kind=\"\(name(member))\"} \(number(member.value))\n"
    }
    text += "# HELP bucketfs_request_seconds Time to serve a request, by kind.\n# TYPE bucketfs_request_seconds gauge\n"
    for member in object("latency", of: members) {
      guard case .object(let times) = member.value else { continue }
      for (key, quantile) in [("p50", "0.5"), ("p90", "0.9"), ("p99", "0.99")] {
        guard case .integer(let nanoseconds) = value(key, of: times) else { continue }
        text += "bucketfs_request_seconds{kind=\"\(name(member))\",quantile=\"\(quantile)\"} "
        text += "\(Double(nanoseconds) / 1e9)\n"
      }
    }
    text += "# HELP bucketfs_errors_total Answers that were errors, by errno.\n# TYPE bucketfs_errors_total counter\n"
    for member in object("errors", of: members) {
      text += "bucketfs_errors_total{errno=\"\(name(member))\"} \(number(member.value))\n"
    }
    for (member, metric, help) in [
      ("openFiles", "open_files", "Open files."), ("openDirectories", "open_directories", "Open directories."),
      ("inodes", "inodes", "Inodes that the kernel remembers."),
      ("descriptors", "descriptors", "Descriptors of inodes."),
      ("watch", "watch", "Whether changes made in the directory itself are seen at once."),
      ("attributesForgotten", "attributes_forgotten", "Attributes that the kernel was told to look at again."),
      ("namesForgotten", "names_forgotten", "Names that the kernel was told to look up again."),
      ("passthrough", "passthrough", "Whether the kernel reads and writes data by itself."),
    ] {
      guard let value = value(member, of: members) else { continue }
      text += "# HELP bucketfs_\(metric) \(help)\n# TYPE bucketfs_\(metric) gauge\n"
      text += "bucketfs_\(metric) \(number(value))\n"
    }
    return text
  }

  // MARK: The report

  private static func name(_ member: JSONMember) -> String { String(decoding: member.key, as: UTF8.self) }

  private static func value(_ name: String, of members: [JSONMember]) -> JSONValue? {
    members.first { $0.key.elementsEqual(name.utf8) }?.value
  }

  private static func object(_ name: String, of members: [JSONMember]) -> [JSONMember] {
    if case .object(let inner) = value(name, of: members) { inner } else { [] }
  }

  private static func number(_ value: JSONValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .boolean(let isTrue): isTrue ? "1" : "0"
    default: ""
    }
  }
}
