internal import Bucket
internal import SystemCalls

/// `bucketfs check`: says what is wrong with a bucket's metadata; with `--repair` it removes what nobody needs.
///
/// A line for each finding on standard output: `NAME: what is found`; with `--json` an object for each, with `name`,
/// `problem` (a word), `message`, `fault` and `repaired`. The exit status is 1 if anything is wrong.
struct CheckCommand {
  private var repair = false
  private var json = false
  private var directory = ""

  init(_ arguments: ArraySlice<String>) throws(Command.Failure) {
    var places: [String] = []
    var rest = arguments
    while let word = rest.popFirst() {
      switch word {
      case "--repair": repair = true
      case "--json": json = true
      case "--":
        places += rest
        rest = []
      case _ where word.hasPrefix("-"): throw .usage("check has no option '\(word)'")
      default: places.append(word)
      }
    }
    guard places.count == 1 else { throw .usage("check takes a BUCKET_DIR") }
    directory = places[0]
  }

  func run() throws(Command.Failure) {
    let store = try BucketArgument.open(directory, readOnly: !repair)
    var faults = 0
    do throws(StoreError) {
      try BucketCheck.run(store, repair: repair) { finding in
        if finding.isFault { faults += 1 }
        print(json ? Self.object(finding) : Self.line(finding))
      }
    } catch {
      throw .failed("\(directory): \(error)")
    }
    if faults > 0 { throw .said(1) }
  }

  private static func line(_ finding: BucketFinding) -> String {
    let name = finding.name.isEmpty ? "." : finding.name.displayed
    return "\(name): \(finding.problem)\(finding.isRepaired ? " (removed)" : "")"
  }

  private static func object(_ finding: BucketFinding) -> String {
    let members = [
      "\"name\":\(quoted(String(decoding: finding.name, as: UTF8.self)))", "\"problem\":\"\(finding.problem.code)\"",
      "\"message\":\(quoted(finding.problem.description))", "\"fault\":\(finding.isFault)",
      "\"repaired\":\(finding.isRepaired)",
    ]
    return "{\(members.joined(separator: ","))}"
  }

  /// A JSON string.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..."\u{1f}": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
