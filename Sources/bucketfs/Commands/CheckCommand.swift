internal import Bucket
internal import SystemCalls

/// `bucketfs check`: says what is wrong with a bucket's metadata; with `--repair` it removes what nobody needs.
struct CheckCommand {
  static let description = CommandDescription(
    name: "check", summary: "say what is wrong with a bucket's metadata", operands: ["BUCKET_DIR"],
    operandKind: .folder, count: 1...1,
    options: [
      OptionDescription(name: "repair", help: "remove what nobody needs: overflow files that are in no use"),
      OptionDescription(
        name: "json",
        help: "print an object for each finding, with name, problem (a word), message, fault and repaired"),
    ],
    details: [
      """
      Prints a line for each finding: damaged records, missing and unreferenced overflow files, attributes of other \
      programs that the next change takes in, limits passed, and names and custom metadata that Cloud Storage refuses. \
      The status is 1 if anything is wrong. No record is ever changed or removed.
      """
    ],
    run: { invocation throws(Command.Failure) in try run(invocation) })

  private static func run(_ invocation: Invocation) throws(Command.Failure) {
    let directory = invocation.operands[0]
    let json = invocation.has("json")
    let repair = invocation.has("repair")
    let store = try BucketArgument.open(directory, readOnly: !repair)
    var faults = 0
    let progress = Progress("objects and folders checked")
    do throws(StoreError) {
      defer { progress.end() }
      try BucketCheck.run(store, repair: repair) {
        progress.count()
      } report: { finding in
        if finding.isFault { faults += 1 }
        Output.print((json ? object(finding) : line(finding)) + "\n")
      }
    } catch {
      throw .failed("cannot check the bucket '\(directory.text)': \(error)")
    }
    if faults > 0 { throw .said(1) }
  }

  private static func line(_ finding: BucketFinding) -> String {
    let name = finding.name.isEmpty ? "." : finding.name.displayed
    return "\(name): \(finding.problem)\(finding.isRepaired ? " (removed)" : "")"
  }

  private static func object(_ finding: BucketFinding) -> String {
    let members = [
      "\"name\":\(JSONText.string(String(decoding: finding.name, as: UTF8.self)))",
      "\"problem\":\"\(finding.problem.code)\"",
      "\"message\":\(JSONText.string(finding.problem.description))", "\"fault\":\(finding.isFault)",
      "\"repaired\":\(finding.isRepaired)",
    ]
    return "{\(members.joined(separator: ","))}"
  }
}
