internal import Glibc
internal import SystemCalls

/// The command line: which subcommand, and what becomes of its errors.
enum Command {
  /// What the package calls itself.
  static let version = "1.0.0"

  /// A failure of a command, as the person at the shell reads it.
  enum Failure: Error {
    /// The words of the command are wrong: status 2.
    case usage(String, CommandDescription? = nil)
    /// What was asked could not be done: status 1.
    case failed(String)
    /// A signal came that ends the command; what was done so far is whole.
    case interrupted
    /// It was said already, or by another process, and this is the status.
    case said(Int32)
  }

  /// Runs the command of these arguments, which the program's own name precedes, and returns the exit status: 0, 1 for a failure, 2 for wrong usage.
  static func run(_ arguments: [Argument]) -> Int32 {
    do throws(Failure) {
      let words = Array(arguments.dropFirst())
      if let program = arguments.first, MountHelper.isName(program) {
        try call(MountHelper.description, words[...])
      } else {
        try dispatch(words)
      }
      return 0
    } catch {
      switch error {
      case .usage(let message, let command):
        complain("\(message); see bucketfs \(command.map { $0.name + " " } ?? "")--help")
        return 2
      case .failed(let message):
        complain(message)
        return 1
      case .interrupted:
        complain("interrupted")
        return 130
      case .said(let status):
        return status
      }
    }
  }

  private static func dispatch(_ arguments: [Argument]) throws(Failure) {
    guard let first = arguments.first else { throw .usage("no command given") }
    switch first.text {
    case "--help", "-h": return Output.print(Help.general)
    case "--version", "-V": return Output.print("bucketfs \(version)\n")
    case "help":
      guard arguments.count > 1 else { return Output.print(Help.general) }
      return Output.print(Help.text(of: try command(arguments[1].text)))
    // The form in which mount(8) calls: DEVICE MOUNTPOINT -o OPTIONS.
    case let word where !word.hasPrefix("-") && arguments.count >= 2 && word.contains("/"):
      return try call(MountCommand.description, arguments[...])
    default:
      return try call(try command(first.text), arguments.dropFirst())
    }
  }

  private static func command(_ name: String) throws(Failure) -> CommandDescription {
    guard let command = CommandTable.commands.first(where: { $0.name == name }) else {
      throw .usage("there is no command '\(name)'")
    }
    return command
  }

  private static func call(_ command: CommandDescription, _ words: ArraySlice<Argument>) throws(Failure) {
    let invocation = try Invocation(command, words)
    if invocation.isHelp { return Output.print(Help.text(of: command)) }
    do throws(Failure) {
      try command.run(invocation)
    } catch .usage(let message, nil) {
      throw .usage(message, command.isHidden ? nil : command)
    }
  }

  /// One line on standard error.
  static func complain(_ message: String) {
    System.writeStandardError("bucketfs: \(message.map { $0.isNewline ? "?" : String($0) }.joined())\n")
  }
}

func exit(code: Int32) -> Never {
  Glibc.exit(code)
}
