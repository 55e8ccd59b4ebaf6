/// What `--help` prints, from the command table.
enum Help {
  /// The width of a terminal that nobody has widened.
  private static let width = 80

  /// What bucketfs is, and its commands in a line each.
  static var general: String {
    let commands = CommandTable.shown
    let column = (commands.map(\.name.count).max() ?? 0) + 2
    var text = """
      usage: bucketfs COMMAND [OPTION…] …
             bucketfs BUCKET_DIR MOUNTPOINT -o OPT,…    as mount(8) calls it
             bucketfs --help | --version

      A directory as a bucket, with its objects' Cloud Storage metadata as extended attributes.


      """
    for command in commands {
      text += "  " + padded(command.name, to: column) + command.summary + "\n"
    }
    return text + "\n`bucketfs COMMAND --help` explains a command. Status 1 is a failure, 2 wrong usage.\n"
  }

  /// All that there is to know of one command.
  static func text(of command: CommandDescription) -> String {
    var text = ""
    for (index, operands) in command.operands.enumerated() {
      text += (index == 0 ? "usage: " : "       ") + synopsis(command, operands) + "\n"
    }
    text += "\n" + wrapped(capitalized(command.summary) + ".", indent: 0)
    for paragraph in command.details { text += "\n" + wrapped(paragraph, indent: 0) }
    text += "\n"
    let options = Invocation.options(of: command)
    let column = min(26, (options.map(\.usage.count).max() ?? 0) + 4)
    for option in options {
      let lead = "  " + option.usage
      let lines = wrapped(option.help, indent: column)
      if lead.count + 2 > column {
        text += lead + "\n" + lines
      } else {
        text += padded(lead, to: column) + lines.dropFirst(column)
      }
    }
    if !command.examples.isEmpty { text += "\nexamples:\n" }
    for (words, purpose) in command.examples { text += "  \(words)\n" + wrapped(purpose, indent: 6) }
    return text
  }

  /// The line of a synopsis.
  static func synopsis(_ command: CommandDescription, _ operands: String) -> String {
    let options = command.options.map { option in
      "[" + option.forms.joined(separator: "|") + (option.value.map { " \($0)" } ?? "") + "]"
    }
    return (["bucketfs", command.name] + options + [operands]).joined(separator: " ")
  }

  /// The sentence with a capital at its start.
  static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private static func padded(_ text: String, to column: Int) -> String {
    text + String(repeating: " ", count: max(0, column - text.count))
  }

  private static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return (lines + [line]).map { margin + $0 + "\n" }.joined()
  }
}
