internal import Bucket
internal import SystemCalls

/// `bucketfs dump`: all stored metadata, for backups, review and version control.
struct DumpCommand {
  static let description = CommandDescription(
    name: "dump", summary: "write all stored metadata as JSON Lines", operands: ["PATH"], count: 1...1,
    options: [.bucketDirectory, .bucketName],
    details: [
      """
      Prints a line for each object and folder below PATH that has stored metadata: an object with fullPath, the \
      properties that were set (a contentType that was removed is null) and customMetadata. Lines are sorted by the \
      bytes of fullPath, a folder's counted with a slash at its end, so that two dumps can be compared by diff.
      """,
      """
      Names, keys and values that are not UTF-8 are in fullPathHex and customMetadataHex, as hexadecimal digits. Nothing \
      that follows from the file itself is in a dump: neither generation nor times, nor derived and computed values.
      """,
    ],
    examples: [("bucketfs dump site > site.metadata", "a backup that bucketfs apply restores")],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let found = try BucketFinder(invocation).find(invocation.operands[0])
    let access = found.access
    let progress = Progress("objects read")
    defer { progress.end() }
    try Output.with { output throws(Command.Failure) in
      try ObjectWalk.run(from: found.object) { object throws(Command.Failure) in
        progress.count()
        do throws(AccessError) {
          let entry = try access.stored(of: object)
          if entry.isEmpty { return }
          output.append(entry.json)
          output.append(UInt8(ascii: "\n"))
        } catch {
          throw .failed("cannot read the metadata of '\(object.shown)': \(error.description)")
        }
      }
    }
  }
}
