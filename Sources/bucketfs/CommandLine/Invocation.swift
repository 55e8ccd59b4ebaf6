/// A command as it was called: its options and operands, checked against its description.
struct Invocation {
  let command: CommandDescription
  private(set) var operands: [Argument] = []
  private var values: [String: [Argument]] = [:]

  /// Reads the words behind the command's name. Options and operands may stand in any order; `--` ends the options.
  init(_ command: CommandDescription, _ words: ArraySlice<Argument>) throws(Command.Failure) {
    self.command = command
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      if word.bytes.starts(with: "--".utf8) {
        try takeLong(word, &rest)
      } else if word.bytes.count > 1, word.bytes[0] == UInt8(ascii: "-") {
        try takeLetters(word, &rest)
      } else {
        operands.append(word)
      }
    }
    if isHelp { return }
    guard command.count.contains(operands.count) else {
      throw .usage("\(command.name) takes \(command.operands.joined(separator: " or "))", command)
    }
  }

  /// Whether the command is only to be explained.
  var isHelp: Bool { has("help") }

  /// Whether the option was given.
  func has(_ key: String) -> Bool { values[key] != nil }

  /// The values of an option, in the order in which they were given.
  func all(_ key: String) -> [Argument] { values[key] ?? [] }

  /// The value of an option, the last one where it was given several times.
  func value(_ key: String) -> Argument? { values[key]?.last }

  private static let help = OptionDescription(name: "help", letter: "h", help: "explain the command")

  /// Every option, with that which all commands have.
  static func options(of command: CommandDescription) -> [OptionDescription] { command.options + [help] }

  private mutating func takeLong(_ word: Argument, _ rest: inout ArraySlice<Argument>) throws(Command.Failure) {
    let (name, attached) = word.split(at: UInt8(ascii: "=")).map { ($0.before, Optional($0.after)) } ?? (word, nil)
    let wanted = name.dropping(2).text
    guard let option = Self.options(of: command).first(where: { $0.name == wanted }) else {
      throw .usage("\(command.name) has no option '\(name.text)'", command)
    }
    if option.value == nil {
      guard attached == nil else { throw .usage("\(command.name): option \(name.text) takes no value", command) }
      values[option.key, default: []].append("")
    } else {
      let value = if let attached { attached } else { try value(of: name.text, &rest) }
      values[option.key, default: []].append(value)
    }
  }

  private mutating func takeLetters(_ word: Argument, _ rest: inout ArraySlice<Argument>) throws(Command.Failure) {
    var letters = word.dropping(1)
    while let byte = letters.bytes.first {
      let letter = Character(Unicode.Scalar(byte))
      letters = letters.dropping(1)
      guard let option = Self.options(of: command).first(where: { $0.letter == letter }) else {
        throw .usage("\(command.name) has no option '-\(letter)'", command)
      }
      if option.value == nil {
        values[option.key, default: []].append("")
      } else {
        let value = if letters.bytes.isEmpty { try value(of: "-\(letter)", &rest) } else { letters }
        values[option.key, default: []].append(value)
        return
      }
    }
  }

  private func value(of option: String, _ rest: inout ArraySlice<Argument>) throws(Command.Failure) -> Argument {
    guard let value = rest.popFirst() else { throw .usage("\(command.name): option \(option) needs a value", command) }
    return value
  }
}
