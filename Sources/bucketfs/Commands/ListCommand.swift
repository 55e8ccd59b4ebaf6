internal import Bucket
internal import SystemCalls

/// `bucketfs ls`: what is in a folder, with the properties that people look for.
struct ListCommand {
  static let description = CommandDescription(
    name: "ls", summary: "list objects and folders", operands: ["[PATH…]"], count: 0...Int.max,
    options: [
      OptionDescription(name: "long", letter: "l", help: "also size, time of the latest change and content type"),
      .recursive, .json, .bucketDirectory, .bucketName,
    ],
    details: [
      """
      Names in the order of their bytes, a folder's with a slash at its end; with -R the paths of all that is below. \
      Symlinks and what else is no object are left out. With --json each line is what stat --json prints.
      """
    ],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let finder = BucketFinder(invocation)
    let isRecursive = invocation.has("recursive")
    try Output.with { output throws(Command.Failure) in
      let paths = invocation.operands.isEmpty ? ["."] : invocation.operands
      try Failures.collect(paths) { path throws(Command.Failure) in
        let found = try finder.find(path)
        let access = found.access
        let start = found.object
        var rows: [[String]] = []
        try ObjectWalk.run(from: start, isRecursive: isRecursive) { object throws(Command.Failure) in
          // A folder that was asked for stands for what is in it.
          if start.kind.isFolder, object.path == start.path { return }
          let name = isRecursive || !start.kind.isFolder ? object.path : object.lastComponent
          do throws(AccessError) {
            if invocation.has("json") {
              output.append(try access.json(of: object))
              output.append(UInt8(ascii: "\n"))
            } else if invocation.has("long") {
              rows.append(try row(object, access) + [shown(name, object)])
            } else {
              output.append(shown(name, object) + "\n")
            }
          } catch {
            throw .failed("cannot read the metadata of '\(object.shown)': \(error.description)")
          }
        }
        output.append(Table.text(rows, right: [0]))
      }
    }
  }

  private static func row(_ object: Reached, _ access: BucketAccess) throws(AccessError) -> [String] {
    guard object.kind == .object else { return ["-", "", "folder"] }
    var cells: [String] = []
    for name in ["size", "updated", "contentType"] as [StaticString] {
      let text = try Property.named(name.bytes).flatMap { property throws(AccessError) in
        try access.text(of: property, of: object)
      }
      cells.append(text.map(Table.escaped) ?? "")
    }
    return cells
  }

  private static func shown(_ name: [UInt8], _ object: Reached) -> String {
    Table.escaped(name) + (object.kind.isFolder ? "/" : "")
  }
}
