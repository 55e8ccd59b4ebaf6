internal import Bucket
internal import SystemCalls

/// `bucketfs set` and `bucketfs unset`: changes of several properties, each object's in one step.
struct SetCommand {
  static let description = CommandDescription(
    name: "set", summary: "set properties of objects", operands: ["PATH… PROPERTY=VALUE…"], count: 2...Int.max,
    options: options,
    details: [
      """
      PROPERTY is cacheControl, contentDisposition, contentEncoding, contentLanguage, contentType, md5Hash or \
      customMetadata.KEY. All changes of an object are one: either all are made or none, and its metageneration grows \
      by one. A PATH that holds = is written with a slash, as ./a=b.
      """, conditions,
    ],
    examples: [
      ("bucketfs set f.jpg contentType=image/jpeg customMetadata.location='Yosemite, CA, USA'", "two properties"),
      ("bucketfs set -R --include '*.js' site cacheControl=public,max-age=300", "every script below a folder"),
    ],
    run: { invocation throws(Command.Failure) in try run(invocation, MetadataEdit(setting: invocation)) })

  static let unset = CommandDescription(
    name: "unset", summary: "remove properties of objects", operands: ["PATH… PROPERTY…"], count: 2...Int.max,
    options: options,
    details: [
      """
      PROPERTY is as with set, or customMetadata for all entries. What is not set stays so. A contentType that was \
      removed is not derived from the name until it is set again. A PATH behind the first that is called like a \
      property is written with a slash, as ./contentType.
      """, conditions,
    ],
    examples: [("bucketfs unset f.jpg cacheControl customMetadata.location", "two properties")],
    run: { invocation throws(Command.Failure) in try run(invocation, MetadataEdit(unsetting: invocation)) })

  private static let options: [OptionDescription] = [
    .recursive, .include, .exclude,
    OptionDescription(
      name: "if-generation-match", value: "N", help: "only if the object's generation is N"),
    OptionDescription(
      name: "if-metageneration-match", value: "N", help: "only if the object's metageneration is N"),
    .bucketDirectory, .bucketName,
  ]

  private static let conditions = """
    With -R the objects below a folder are changed, not the folders. Folders have custom metadata only. A condition that \
    does not hold is a failure, and the object stays as it is.
    """

  private static func run(_ invocation: Invocation, _ edit: MetadataEdit) throws(Command.Failure) {
    let filter = try NameFilter(invocation)
    let finder = BucketFinder(invocation, forChange: true)
    try Failures.collect(edit.paths) { path throws(Command.Failure) in
      let found = try finder.find(path)
      guard invocation.has("recursive"), found.object.kind.isFolder else {
        return try change(found.object, found.access, edit)
      }
      let access = found.access
      let progress = Progress("objects changed")
      defer { progress.end() }
      try ObjectWalk.run(from: found.object, filter: filter) { object throws(Command.Failure) in
        guard object.kind == .object else { return }
        try change(object, access, edit)
        progress.count()
      }
    }
  }

  private static func change(
    _ object: Reached, _ access: BucketAccess, _ edit: MetadataEdit
  ) throws(Command.Failure) {
    let names = edit.names.joined(separator: ", ")
    if object.kind.isFolder, let property = edit.patch.properties.keys.first {
      throw .failed("cannot change \(property.name) of '\(object.shown)': folders have custom metadata only")
    }
    do throws(AccessError) {
      try access.change(object, edit.patch)
    } catch {
      throw .failed("cannot change \(names) of '\(object.shown)': \(error.description)")
    }
  }
}
