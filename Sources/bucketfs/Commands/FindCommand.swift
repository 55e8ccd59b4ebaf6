internal import Bucket
internal import SystemCalls

/// `bucketfs find`: the objects whose properties are as asked for.
struct FindCommand {
  static let description = CommandDescription(
    name: "find", summary: "find objects by their properties", operands: ["PATH [EXPRESSION…]"], count: 1...Int.max,
    options: [
      OptionDescription(name: "null", letter: "0", help: "end each path with a NUL instead of a newline, for xargs -0"),
      .json, .bucketDirectory, .bucketName,
    ],
    details: [
      """
      An EXPRESSION is made of tests, each one word: PROPERTY (is it set), PROPERTY=GLOB, PROPERTY!=GLOB, \
      PROPERTY~REGEX (a POSIX extended regular expression, found anywhere), and PROPERTY<VALUE, <=, > and >=. PROPERTY \
      is any property or customMetadata.KEY.
      """,
      """
      Sizes take K, M, G and T for powers of 1,024. Times are written as 2026-01-31 or 2026-01-31T08:30, in UTC, and \
      mean the beginning of that day or minute; = means within it. Other properties are compared as text, by bytes. A \
      test of a property that is not set fails, != alone succeeds.
      """,
      """
      Tests are joined by and (or by nothing), or, not and ( ), in the usual order. Quote what the shell would read \
      otherwise: < > ( ) * ! and blanks.
      """,
    ],
    examples: [
      ("bucketfs find site 'contentType=image/*' 'size>1M'", "large images"),
      ("bucketfs find site not cacheControl", "objects without a Cache-Control"),
      ("bucketfs find site 'updated<2026-01-01' or 'customMetadata.location~Yosemite'", "one or the other"),
    ],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let expression = try FindExpression(invocation.operands.dropFirst(), invocation.command)
    let found = try BucketFinder(invocation).find(invocation.operands[0])
    let access = found.access
    let json = invocation.has("json")
    let end = invocation.has("null") ? 0 : UInt8(ascii: "\n")
    try Output.with { output throws(Command.Failure) in
      try ObjectWalk.run(from: found.object) { object throws(Command.Failure) in
        guard object.kind == .object else { return }
        do throws(AccessError) {
          guard try expression.matches(object, access) else { return }
          output.append(json ? try access.json(of: object) : object.path)
          output.append(end)
        } catch {
          throw .failed("cannot read the metadata of '\(object.shown)': \(error.description)")
        }
      }
    }
  }
}
