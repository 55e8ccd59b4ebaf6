internal import Bucket
internal import SystemCalls

/// `bucketfs export`: a bucket in the form of another program.
struct ExportCommand {
  static let format = OptionDescription(
    name: "format", value: "FORMAT", kind: .oneOf(["firebase-emulator"]), help: "firebase-emulator, which must be given"
  )

  static let description = CommandDescription(
    name: "export", summary: "write a bucket as an export of the Firebase emulator", operands: ["BUCKET DIR"],
    operandKind: .folder, count: 2...2, options: [format, .bucketDirectory, .bucketName],
    details: [
      """
      DIR must be empty or not there; `firebase emulators:start --import DIR` reads it. Contents, all properties and \
      custom metadata go there, with names that stay the same from export to export; the custom entry \
      firebaseStorageDownloadTokens becomes downloadTokens.
      """,
      """
      A line is printed for each thing that the format has no place for: custom metadata of folders, and keys and values \
      that are not UTF-8. Empty folders are left out without a word.
      """,
    ],
    examples: [("bucketfs export --format firebase-emulator site export", "for the emulator")],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  /// Throws unless the format is one that there is.
  static func checkFormat(_ invocation: Invocation) throws(Command.Failure) {
    guard invocation.value("format") == "firebase-emulator" else {
      throw .usage("\(invocation.command.name) needs --format firebase-emulator", invocation.command)
    }
  }

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    try checkFormat(invocation)
    let found = try BucketFinder(invocation, takesAnyFolder: true).find(invocation.operands[0])
    let access = found.access
    guard let bucket = try? access.text(of: Property.table[0], of: found.object) else {
      throw .failed("cannot read the name of the bucket '\(invocation.operands[0].text)'")
    }
    let target = ExportFolder(invocation.operands[1])
    try target.begin(bucket: bucket)
    let progress = Progress("objects written")
    defer { progress.end() }
    try Output.with { output throws(Command.Failure) in
      try ObjectWalk.run(from: found.object) { object throws(Command.Failure) in
        do throws(AccessError) {
          let entry = try access.stored(of: object)
          for (key, value) in entry.custom
          where object.kind.isFolder || !CustomEntry(key: key, value: value).isJSONText {
            output.append(
              "\(Table.escaped(object.name)): customMetadata.\(Table.escaped(key)): no place in the format\n")
          }
          guard object.kind == .object else { return }
          guard object.name.span.isJSONText else {
            output.append("\(Table.escaped(object.name)): a name that is not UTF-8: no place in the format\n")
            return
          }
          var writer = JSONWriter()
          try describe(object, entry, bucket, access, in: &writer)
          try target.write(object, &writer)
        } catch {
          throw .failed("cannot export '\(object.shown)': \(error.description)")
        }
        progress.count()
      }
    }
    try target.finish()
  }

  private static func describe(
    _ object: Reached, _ entry: StoredEntry, _ bucket: [UInt8], _ access: BucketAccess, in writer: inout JSONWriter
  ) throws(AccessError) {
    writer.set(("name" as StaticString).bytes, to: object.name.span)
    writer.set(("bucket" as StaticString).bytes, to: bucket.span)
    writer.set(("storageClass" as StaticString).bytes, to: ("STANDARD" as StaticString).bytes)
    for index in Property.table.indices {
      let property = Property.table[index]
      switch property.source {
      case .bucketName, .objectName, .lastComponent, .customMetadata, .size: continue
      case .generation, .metageneration:
        let text = try access.text(of: property, of: object) ?? []
        writer.set(property.name.bytes, to: UInt64(String(decoding: text, as: UTF8.self)) ?? 0)
      case .timeCreated, .updated, .stored:
        guard let text = try access.text(of: property, of: object) else { continue }
        writer.set(property.name.bytes, to: text.span)
      }
    }
    var custom = JSONWriter()
    let entries = entry.custom.map { CustomEntry(key: $0.key, value: $0.value) }.filter(\.isJSONText)
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for entry in entries where entry.key != EmulatorObject.tokenKey { custom.set(entry.key.span, to: entry.value.span) }
    writer.set(("customMetadata" as StaticString).bytes, to: custom)
    let tokens = entries.first { $0.key == EmulatorObject.tokenKey }?.value.split(separator: UInt8(ascii: ","))
    writer.set(("downloadTokens" as StaticString).bytes, to: (tokens ?? []).map { Array($0) })
  }
}
