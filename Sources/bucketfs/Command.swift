internal import Glibc
internal import SystemCalls

/// The command line: which subcommand, and what becomes of its errors.
enum Command {
  /// What the package calls itself.
  static let version = "1.0.0"

  /// A failure of a command, as the person at the shell reads it.
  enum Failure: Error {
    /// The words of the command are wrong: status 2.
    case usage(String)
    /// What was asked could not be done: status 1.
    case failed(String)
    /// Another process has said why, and this is its status.
    case said(Int32)
  }

  /// Runs the command of these arguments and returns the exit status: 0, 1 for a failure, 2 for wrong usage.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(Failure) {
      try dispatch(arguments)
      return 0
    } catch {
      switch error {
      case .usage(let message):
        complain("\(message); see bucketfs --help")
        return 2
      case .failed(let message):
        complain(message)
        return 1
      case .said(let status):
        return status
      }
    }
  }

  private static func dispatch(_ arguments: [String]) throws(Failure) {
    switch arguments.first {
    case nil: throw .usage("no command given")
    case "--help", "-h", "help": print(help)
    case "--version", "-V": print("bucketfs \(version)")
    case "mount": try MountCommand(arguments.dropFirst()).run()
    case "unmount": try UnmountCommand(arguments.dropFirst()).run()
    case "check": try CheckCommand(arguments.dropFirst()).run()
    case "eject": try EjectCommand(arguments.dropFirst()).run()
    // The form in which mount(8) calls: DEVICE MOUNTPOINT -o OPTIONS.
    case let first? where !first.hasPrefix("-") && arguments.count >= 2 && first.contains("/"):
      try MountCommand(arguments[...]).run()
    case let first?: throw .usage("there is no command '\(first)'")
    }
  }

  /// One line on standard error.
  static func complain(_ message: String) {
    System.writeStandardError("bucketfs: \(message)\n")
  }

  static let help = """
    usage: bucketfs mount [-f|--foreground] [--bucket NAME] [-o OPT,…] BUCKET_DIR MOUNTPOINT
           bucketfs BUCKET_DIR MOUNTPOINT -o OPT,…
           bucketfs unmount MOUNTPOINT
           bucketfs check [--repair] [--json] BUCKET_DIR
           bucketfs eject BUCKET_DIR
           bucketfs --help | --version
    """
}

func exit(code: Int32) -> Never {
  Glibc.exit(code)
}
