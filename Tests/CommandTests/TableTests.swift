import SystemCalls
import TestSupport
import Testing

/// The command table: help, manual pages, completion.
@Suite struct TableTests {
  private func run(_ arguments: String...) throws -> Outcome {
    try Shell.run([MountedBucket.executable] + arguments)
  }

  @Test func everyCommandIsExplained() throws {
    let general = try run("--help")
    #expect(general.isClean)
    let commands = general.lines.compactMap { $0.firstMatch(of: /^  ([a-z]+)  +\w/)?.1 }.map(String.init)
    #expect(commands.count >= 14, "\(commands)")
    let manual = try run("generate", "man")
    let completions = try ["bash", "zsh", "fish"].map { try run("generate", $0) }
    for command in commands {
      let help = try run(command, "--help")
      #expect(help.isClean && help.text.hasPrefix("usage: bucketfs \(command)"), "\(help)")
      #expect(help.text == (try run("help", command)).text)
      #expect(
        help.lines.allSatisfy { $0.hasPrefix("usage:") || $0.hasPrefix("  bucketfs") || $0.count <= 80 }, "\(help)")
      #expect(manual.text.contains(".SS bucketfs \(command)"), "\(command)")
      for completion in completions { #expect(completion.text.contains(command), "\(command)") }
    }
  }

  @Test func manualPagesAndCompletionAreWellFormed() throws {
    _ = try TemporaryDirectory.with { folder in
      try Shell.expect(
        #"""
        program=\#(MountedBucket.executable)
        for page in man man-mount; do
          "$program" generate $page >page
          [ -s page ]
          ! command -v man >/dev/null || [ -z "$(man --warnings -l page 2>&1 >/dev/null)" ]
        done
        "$program" generate bash >completion
        source ./completion
        complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _bucketfs; echo "${COMPREPLY[*]}"; }
        [ "$(complete_words bucketfs st)" = "status stat" ]
        [ "$(complete_words bucketfs set --if-g)" = --if-generation-match ]
        [ "$(complete_words bucketfs mount -o names)" = "names=properties names=http" ]
        """#, in: folder)
    }
  }

  @Test func everyDocumentedMountOptionIsAccepted() throws {
    let words = try run("generate", "bash").text.firstMatch(of: /compgen -W '(bucket=[^']*)'/)?.1 ?? ""
    let options = words.split(separator: " ").map { $0.hasSuffix("=") ? "\($0)1" : String($0) }
    #expect(options.count > 15, "\(options)")
    for option in options where option != "ro" {
      let outcome = try run("mount", "-o", option, "/nonexistent", "/nonexistent")
      #expect(outcome.status == 1 && outcome.errors.contains("nonexistent"), "\(option): \(outcome)")
    }
  }

  @Test func wordsMayComeInAnyOrder() throws {
    try BucketFolder.with { folder in
      let expected = try folder.lines("stat", "--json", "--bucket", "b", "bucket/index.html")
      #expect(try folder.lines("stat", "bucket/index.html", "--bucket=b", "--json") == expected)
      #expect(try folder.lines("stat", "--json", "--bucket=b", "--", "bucket/index.html") == expected)
      try folder.expectRefusal("stat", "--json=yes", "bucket/index.html", status: 2, mentioning: ["--json"])
      try folder.expectRefusal("stat", "bucket/index.html", "--bucket", status: 2, mentioning: ["--bucket"])
      try folder.expectRefusal("ls", "-lx", status: 2, mentioning: ["-x"])
    }
  }
}
