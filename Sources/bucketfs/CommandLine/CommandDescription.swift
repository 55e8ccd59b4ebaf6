/// One subcommand: the row of the table from which parsing, help, manual pages and completion follow.
struct CommandDescription: Sendable {
  /// The word that calls it.
  let name: String
  /// What it does, in half a sentence.
  let summary: String
  /// What follows the options, one form for each line of the synopsis.
  let operands: [String]
  /// What its operands are, for completion.
  var operandKind = Kind.path
  /// How many operands there must be.
  let count: ClosedRange<Int>
  let options: [OptionDescription]
  /// What there is to know, in paragraphs.
  let details: [String]
  /// Examples: a command, and what it is for.
  var examples: [(command: String, purpose: String)] = []
  /// Whether help, manual and completion keep it to themselves.
  var isHidden = false
  let run: @Sendable (Invocation) throws(Command.Failure) -> Void

  /// What a word stands for, as far as a shell can complete it.
  enum Kind: Hashable, Sendable {
    case path
    case folder
    case nothing
    case oneOf([String])
  }
}

/// One option of a command.
struct OptionDescription: Sendable {
  /// Its long name without the dashes; nil for one that has a letter alone.
  let name: String?
  /// Its letter.
  var letter: Character?
  /// What its value is called; nil for an option without one.
  var value: String?
  var kind = CommandDescription.Kind.nothing
  let help: String

  /// The key under which an invocation has it.
  var key: String { name ?? String(letter ?? "?") }

  /// Its forms as people write them: `-f`, `--foreground`.
  var forms: [String] { (letter.map { ["-\($0)"] } ?? []) + (name.map { ["--\($0)"] } ?? []) }

  /// How it stands in a synopsis or a list.
  var usage: String {
    guard let value else { return forms.joined(separator: ", ") }
    return forms.joined(separator: ", ") + (name == nil ? " \(value)" : " \(value)")
  }
}

extension OptionDescription {
  /// Options that several commands have.
  static let json = OptionDescription(name: "json", help: "print JSON, one object a line, for programs")
  static let bucketDirectory = OptionDescription(
    name: "bucket-dir", value: "DIR", kind: .folder,
    help: "the bucket's directory, where it cannot be found from the path")
  static let bucketName = OptionDescription(
    name: "bucket", value: "NAME", help: "the bucket's name in place of its directory's, as it is mounted with")
  static let recursive = OptionDescription(
    name: "recursive", letter: "R", help: "also everything below folders")
  static let include = OptionDescription(
    name: "include", value: "GLOB",
    help: "with -R, only objects whose name matches; a GLOB with a slash is compared with the path below PATH")
  static let exclude = OptionDescription(
    name: "exclude", value: "GLOB", help: "with -R, neither objects nor folders whose name matches")
}
