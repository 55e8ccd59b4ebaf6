internal import Bucket
internal import SystemCalls

/// `bucketfs stat`: all properties of objects.
struct StatCommand {
  static let description = CommandDescription(
    name: "stat", summary: "show all properties of objects and folders", operands: ["PATH…"], count: 1...Int.max,
    options: [.json, .bucketDirectory, .bucketName],
    details: [
      """
      A PATH lies under a mount or in a bucket's directory. The bucket of a directory is the nearest folder above with a \
      .bucketfs in it, or one that is mounted, else PATH itself or the folder of the file; --bucket-dir names another.
      """,
      """
      With --json each line is what the attribute user.bucketfs.json reads as: the properties under their names, numbers \
      as strings, customMetadata as an object. What is not set is absent, and so is an md5Hash that would first have to \
      be computed.
      """,
    ],
    examples: [
      ("bucketfs stat images/forest.jpg", "a table"),
      ("bucketfs stat --json images/* | jq -r .contentType", "one property for a script"),
    ],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let finder = BucketFinder(invocation)
    var isFirst = true
    try Output.with { output throws(Command.Failure) in
      try Failures.collect(invocation.operands) { path throws(Command.Failure) in
        let json = try json(of: path, finder)
        if invocation.has("json") {
          output.append(json)
          output.append(UInt8(ascii: "\n"))
          return
        }
        if !isFirst { output.append("\n") }
        isFirst = false
        if invocation.operands.count > 1 { output.append(Table.escaped(path.bytes) + ":\n") }
        output.append(table(json))
      }
    }
  }

  private static func json(of path: Argument, _ finder: BucketFinder) throws(Command.Failure) -> [UInt8] {
    let found = try finder.find(path)
    do throws(AccessError) {
      return try found.access.json(of: found.object)
    } catch {
      throw .failed("cannot read the metadata of '\(path.text)': \(error.description)")
    }
  }

  /// Two columns: the properties in the order of their table, then each custom entry.
  private static func table(_ json: [UInt8]) -> String {
    var rows: [[String]] = []
    let members = (try? JSONValue.members(of: json.span, depth: 2)) ?? []
    for member in members {
      switch member.value {
      case .string(let text):
        rows.append([Table.escaped(member.key), Table.escaped(text)])
      case .object(let entries):
        for entry in entries {
          guard case .string(let text) = entry.value else { continue }
          rows.append(["\(Table.escaped(member.key)).\(Table.escaped(entry.key))", Table.escaped(text)])
        }
      default: break
      }
    }
    return Table.text(rows)
  }
}
