import Bucket
import SystemCalls
import TestSupport
import Testing

/// The README says what is true.
@Suite struct ReadmeTests {
  private func lines() throws -> [Substring] {
    let root = Path(#filePath).folder.folder.folder
    return try (root / "README.md").text().split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Each command of the console blocks with the output that is shown below it.
  private func tour() throws -> [(command: String, output: [String])] {
    var steps: [(command: String, output: [String])] = []
    var isInside = false
    for line in try lines() {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), []))
      } else if isInside {
        steps[steps.count - 1].output.append(String(line))
      }
    }
    return steps
  }

  @Test func theTourIsReal() throws {
    try MountedBucket.with { bucket in
      let steps = try tour()
      #expect(steps.count >= 10)
      for step in steps {
        let outcome = try Shell.bash(
          "PATH=\(Path(MountedBucket.executable).folder):$PATH; \(step.command) 2>&1", in: bucket.mountpoint)
        let shown = step.output.map { $0 + "\n" }.joined()
        #expect(String(decoding: outcome.output, as: UTF8.self) == shown, "\(step.command)")
      }
    }
  }

  @Test func theTableIsThePrograms() throws {
    var documented: [[String]] = []
    for line in try lines() {
      let cells = line.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
      if cells.count == 4, ["yes", "no"].contains(cells[3]) { documented.append([cells[0], cells[1], cells[3]]) }
    }
    var table: [[String]] = []
    for index in Property.table.indices {
      let property = Property.table[index]
      let attribute = property.source == .customMetadata ? "KEY" : "\(property.name)"
      table.append(["\(property.name)", "user.\(attribute)", property.isWritable ? "yes" : "no"])
    }
    #expect(documented == table)
  }

  @Test func theTestsKnowTheSameProperties() {
    var readOnly: [String] = []
    var writable: [String] = []
    for index in Property.table.indices {
      let property = Property.table[index]
      guard property.source != .customMetadata else { continue }
      if property.isWritable { writable.append("\(property.name)") } else { readOnly.append("\(property.name)") }
    }
    #expect(readOnly.sorted() == Expected.readOnly.sorted())
    #expect(writable.sorted() == Expected.writable.keys.sorted())
  }
}
