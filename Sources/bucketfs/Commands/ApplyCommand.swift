internal import Bucket
internal import SystemCalls

/// `bucketfs apply`: makes the stored metadata what a dump says.
struct ApplyCommand {
  static let description = CommandDescription(
    name: "apply", summary: "make stored metadata what a dump says", operands: ["PATH [FILE]"], count: 1...2,
    options: [
      OptionDescription(name: "dry-run", letter: "n", help: "print the differences, change nothing"),
      OptionDescription(name: "delete", help: "remove the metadata of what is below PATH and in no line of FILE"),
      .bucketDirectory, .bucketName,
    ],
    details: [
      """
      FILE, or standard input, is what dump prints. Each object of FILE that lies below PATH gets exactly the metadata of \
      its line: what the line does not have is removed. Objects that no line names stay as they are, unless --delete is \
      given. PATH is taken for the bucket's directory where no bucket is known above it.
      """,
      """
      Prints a line for each difference: fullPath, property, and the old and the new value as JSON, null for none. All \
      lines are checked before anything is changed; each object is changed in one step, so that apply can be interrupted \
      and repeated. The status is 1 if an object is missing or could not be changed.
      """,
    ],
    examples: [("bucketfs apply --dry-run site site.metadata", "what a restore would change")],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let found = try BucketFinder(invocation, forChange: true, takesAnyFolder: true).find(invocation.operands[0])
    let file = invocation.operands.count > 1 ? invocation.operands[1] : nil
    var wanted = try entries(file)
    let access = found.access
    let isDryRun = invocation.has("dry-run")
    let deletes = invocation.has("delete")
    let start = found.object.name
    let progress = Progress("objects compared")
    defer { progress.end() }
    try Output.with { output throws(Command.Failure) in
      var failed = false
      do throws(Command.Failure) {
        try ObjectWalk.run(from: found.object) { object throws(Command.Failure) in
          progress.count()
          let entry = wanted.removeValue(forKey: object.name)
          guard let entry = entry ?? (deletes ? StoredEntry(name: object.name) : nil) else { return }
          do throws(AccessError) {
            let present = try access.stored(of: object)
            guard present != entry else { return }
            append(present, entry, to: &output)
            if !isDryRun { try access.replace(present, of: object, with: entry) }
          } catch {
            throw .failed("cannot apply the metadata of '\(object.shown)': \(error.description)")
          }
        }
      } catch {
        failed = true
      }
      for name in wanted.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) where isBelow(name, start) {
        Command.complain("cannot apply the metadata of '\(name.displayed)': there is no such object")
        failed = true
      }
      if failed { throw .said(1) }
    }
  }

  private static func isBelow(_ name: [UInt8], _ folder: [UInt8]) -> Bool {
    folder.isEmpty || name == folder || name.starts(with: folder + [UInt8(ascii: "/")])
  }

  private static func entries(_ file: Argument?) throws(Command.Failure) -> [[UInt8]: StoredEntry] {
    let shown = file?.text ?? "standard input"
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try System.readWholeFile(file?.bytes ?? Array("/dev/stdin".utf8))
    } catch {
      throw .failed("cannot read '\(shown)': \(error)")
    }
    var entries: [[UInt8]: StoredEntry] = [:]
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.isEmpty { continue }
      do throws(StoredEntry.LineError) {
        let entry = try StoredEntry(line: Array(line).span)
        guard entries[entry.name] == nil else { throw StoredEntry.LineError(what: "its fullPath was there before") }
        entries[entry.name] = entry
      } catch {
        throw .failed("cannot apply line \(number) of '\(shown)': \(error.what)")
      }
    }
    return entries
  }

  /// A line for each difference.
  private static func append(_ old: StoredEntry, _ new: StoredEntry, to output: inout Output) {
    var rows: [(String, [UInt8]?, [UInt8]?)] = []
    for property in StoredProperty.allCases where old.properties[property] != new.properties[property] {
      rows.append(("\(property.name)", text(old.properties[property]), text(new.properties[property])))
    }
    let keys = Set(old.custom.keys).union(new.custom.keys).sorted { $0.lexicographicallyPrecedes($1) }
    for key in keys where old.custom[key] != new.custom[key] {
      rows.append(("customMetadata.\(Table.escaped(key))", old.custom[key], new.custom[key]))
    }
    for (name, before, after) in rows {
      output.append("\(Table.escaped(new.name)): \(name): \(JSONText.value(before)) -> \(JSONText.value(after))\n")
    }
  }

  private static func text(_ value: StoredValue?) -> [UInt8]? {
    switch value {
    case nil, .unset: nil
    case .removed: Array("(removed)".utf8)
    case .value(let text): text
    }
  }
}
