internal import Bucket
internal import SystemCalls

/// `bucketfs import`: an export of another program into a bucket.
struct ImportCommand {
  static let description = CommandDescription(
    name: "import", summary: "read an export of the Firebase emulator into a bucket", operands: ["DIR BUCKET"],
    operandKind: .folder, count: 2...2,
    options: [
      ExportCommand.format,
      OptionDescription(name: "lenient", help: "leave out what cannot be stored instead of refusing the import"),
      OptionDescription(
        name: "from", value: "NAME",
        help: "the bucket in the export, where it has several and none is called like BUCKET"),
      .bucketDirectory, .bucketName,
    ],
    details: [
      """
      Every object is checked before the first is written: a value, a name or a content that cannot be stored is named \
      and stops the import, and so do two objects of which one would have to be a folder, as a and a/b. An object that is \
      there already is replaced; others stay. Each is written whole or not at all.
      """,
      """
      A line is printed for each thing that a bucket has no place for, such as customTime. Generations and times are the \
      bucket's own. downloadTokens become the custom entry firebaseStorageDownloadTokens.
      """,
    ],
    examples: [("bucketfs import --format firebase-emulator export site", "what the emulator has exported")],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    try ExportCommand.checkFormat(invocation)
    let found = try BucketFinder(invocation, forChange: true, takesAnyFolder: true).find(invocation.operands[1])
    guard found.object.kind == .rootFolder else { throw .failed("'\(invocation.operands[1].text)' is no bucket") }
    let access = found.access
    guard let name = try? access.text(of: Property.table[0], of: found.object) else {
      throw .failed("cannot read the name of the bucket '\(invocation.operands[1].text)'")
    }
    let source = try ImportFolder(invocation.operands[0])
    try source.choose(bucket: invocation.value("from")?.bytes ?? name, isRequired: invocation.has("from"))
    let problems = source.check()
    for problem in problems { Command.complain("cannot import \(problem)") }
    if !problems.isEmpty, !invocation.has("lenient") { throw .said(1) }
    // From here on an interruption waits until what was begun is taken away.
    System.blockSignals()
    let progress = Progress("objects", total: UInt64(source.objects.count))
    defer { progress.end() }
    try Output.with { output throws(Command.Failure) in
      for object in source.objects {
        for member in object.metadata.dropped {
          output.append("\(Table.escaped(object.metadata.entry.name)): \(member): no place in a bucket\n")
        }
      }
      try Failures.collect(source.objects) { object throws(Command.Failure) in
        do throws(AccessError) {
          try write(object, of: source, to: found.object, access)
        } catch {
          if System.isToTerminate { throw .interrupted }
          throw .failed("cannot import '\(object.metadata.entry.name.displayed)': \(error.description)")
        }
        progress.count()
        if System.isToTerminate { throw .interrupted }
      }
    }
  }

  /// Writes an object beside its place, with its metadata, and moves it there. Symlinks of the bucket lead nowhere.
  private static func write(
    _ object: ImportFolder.Object, of source: ImportFolder, to root: Reached, _ access: BucketAccess
  ) throws(AccessError) {
    let slash = UInt8(ascii: "/")
    let name = object.metadata.entry.name
    let parts = name.split(separator: slash).map { Array($0) }
    let last = parts.last ?? []
    let temporary = Array(".bucketfs-import.\(System.processIdentifier)".utf8)
    let folder = try AccessError.wrap { () throws(Errno) in
      try Files.makeFolder(parts.dropLast(), beneath: root.file)
    }
    // Whatever has that name is not this process's: two do not run under one number.
    try? System.unlink(temporary.span, in: folder.descriptor)
    var isMoved = false
    defer { if !isMoved { try? System.unlink(temporary.span, in: folder.descriptor) } }
    let file = try AccessError.wrap { () throws(Errno) in
      let file = try System.open(
        temporary.span, in: folder.descriptor, [.writeOnly, .create, .exclusive, .noFollow], mode: 0o666)
      let content = try source.content(of: object)
      try Files.copy(content.file.descriptor, to: file.descriptor)
      return try System.open(temporary.span, in: folder.descriptor, [.path, .noFollow])
    }
    let path = root.path + [slash] + parts.dropLast().flatMap { $0 + [slash] } + temporary
    let written = Reached(file: file.descriptor, kind: .object, name: name, path: path)
    try access.replace(try access.stored(of: written), of: written, with: object.metadata.entry)
    try AccessError.wrap { () throws(Errno) in
      try System.rename(temporary.span, in: folder.descriptor, to: last.span, in: folder.descriptor)
    }
    isMoved = true
  }
}
