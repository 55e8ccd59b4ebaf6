internal import Bucket
internal import BucketFileSystem

/// What `-o` says: bucketfs's own options, and those that libfuse and the kernel know, which are passed on.
struct MountOptions {
  /// `--bucket` or `bucket=`.
  var bucket: String?
  var fileSystem = FileSystemOptions()
  var xattrs = XattrOptions()
  /// How many threads serve requests at most.
  var maximumThreads = 16
  /// From which level on the daemon's log has lines.
  var logLevel = Log.Level.warning
  var logFormat = LogFormat.text
  /// By which way requests come.
  var transport = MountTransport.auto
  /// Whether changes made behind the mount's back are told to the kernel.
  var watch = Watching.never
  /// Whether the daemon confines itself.
  var sandbox = Sandbox.auto
  /// How many requests of one CPU a ring takes at once at first.
  var ringDepth = 8
  /// Words for libfuse.
  private(set) var passedOn: [String] = []

  /// Under which names properties are shown.
  private enum Names: String, CaseIterable {
    case properties
    case http
  }

  /// Whether to watch the backing directory.
  enum Watching: String, CaseIterable {
    case never
    /// Where the process may and the filesystem can.
    case auto
  }

  /// How far the daemon gives up what it does not need.
  enum Sandbox: String, CaseIterable {
    /// As far as the kernel lets it.
    case auto
    /// Not at all.
    case off
  }

  /// How a line of the log looks.
  enum LogFormat: String, CaseIterable {
    case text
    case json

    var format: Log.Format { self == .json ? .json : .text }
  }

  /// Adds the options of one `-o`, separated by commas; a comma or backslash in a value has a backslash before it.
  mutating func add(_ words: String) throws(Command.Failure) {
    for word in Self.split(words) where !word.isEmpty { try add(word: word) }
  }

  private mutating func add(word: String) throws(Command.Failure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let value = parts.count == 2 ? parts[1] : nil
    switch parts[0] {
    case "bucket": bucket = try Self.text(word, value)
    case "list": xattrs.list = try Self.choice(word, value)
    case "replace": fileSystem.replace = try Self.choice(word, value)
    case "names":
      let names: Names = try Self.choice(word, value)
      xattrs.names = names == .http ? .headers : .properties
    case "foreign": xattrs.foreign = try Self.choice(word, value)
    case "log-level": logLevel = try Self.level(word, value)
    case "log-format": logFormat = try Self.choice(word, value)
    case "verify-md5": xattrs.verifyMD5 = true
    case "entry_timeout": fileSystem.entryTimeout = try Self.seconds(word, value)
    case "negative_timeout": fileSystem.negativeTimeout = try Self.seconds(word, value)
    case "attr_timeout": fileSystem.attributeTimeout = try Self.seconds(word, value)
    case "transport": transport = try Self.choice(word, value)
    case "watch": watch = try Self.choice(word, value)
    case "sandbox": sandbox = try Self.choice(word, value)
    case "uring_depth":
      guard let value, let depth = Int(value), (1...256).contains(depth) else {
        throw .usage("mount option '\(word)': uring_depth is a number from 1 to 256")
      }
      ringDepth = depth
    case "max_threads":
      guard let value, let count = Int(value), (1...1024).contains(count) else {
        throw .usage("mount option '\(word)': max_threads is a number from 1 to 1024")
      }
      maximumThreads = count
    case "ro":
      fileSystem.readOnly = true
      passedOn.append(word)
    case "rw":
      fileSystem.readOnly = false
      passedOn.append(word)
    // What mount(8) and fstab say for themselves.
    case "defaults", "auto", "noauto", "user", "nouser", "users", "nofail", "_netdev", "comment": break
    case let name where name.hasPrefix("x-"): break
    default: passedOn.append(word)
    }
  }

  /// Refuses to trust for long what nobody watches.
  func checkTimeouts(_ command: CommandDescription?) throws(Command.Failure) {
    guard watch == .never else { return }
    for (name, seconds) in [
      ("attr_timeout", fileSystem.attributeTimeout), ("entry_timeout", fileSystem.entryTimeout),
      ("negative_timeout", fileSystem.negativeTimeout),
    ] where seconds > BucketFileSystem.unwatchedTimeout {
      throw .usage(
        "mount option '\(name)': more than 1 second takes '-o watch=auto', else changes made in the directory itself "
          + "would not be seen for as long", command)
    }
  }

  private static func text(_ word: String, _ value: String?) throws(Command.Failure) -> String {
    guard let value, !value.isEmpty else { throw .usage("mount option '\(word)' needs a value") }
    return value
  }

  private static func seconds(_ word: String, _ value: String?) throws(Command.Failure) -> Double {
    guard let value, let seconds = Double(value), seconds >= 0, seconds <= 31_536_000 else {
      throw .usage("mount option '\(word)': the value is a number of seconds from 0 to 31536000")
    }
    return seconds
  }

  static func level(_ word: String, _ value: String?) throws(Command.Failure) -> Log.Level {
    guard let level = Log.Level.allCases.first(where: { "\($0.name)" == value }) else {
      let choices = Log.Level.allCases.map { "\($0.name)" }.joined(separator: ", ")
      throw .usage("option '\(word)': the value is one of \(choices)")
    }
    return level
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ word: String, _ value: String?
  ) throws(Command.Failure) -> Choice {
    guard let choice = value.flatMap({ Choice(rawValue: $0) }) else {
      let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("mount option '\(word)': the value is one of \(choices)")
    }
    return choice
  }

  private static func split(_ words: String) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in words {
      switch character {
      case _ where isEscaped:
        parts[parts.count - 1].append(character)
        isEscaped = false
      case "\\": isEscaped = true
      case ",": parts.append("")
      default: parts[parts.count - 1].append(character)
      }
    }
    return parts
  }

  /// A word for libfuse, which splits at commas itself.
  static func escaped(_ word: String) -> String {
    word.reduce(into: "") { text, character in
      if character == "," || character == "\\" { text.append("\\") }
      text.append(character)
    }
  }
}
