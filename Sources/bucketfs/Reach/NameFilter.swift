internal import SystemCalls

/// Which objects below a folder a command is about: `--include` and `--exclude`.
struct NameFilter {
  private let include: [[UInt8]]
  private let exclude: [[UInt8]]

  /// Everything.
  static let all = NameFilter(include: [], exclude: [])

  init(include: [[UInt8]], exclude: [[UInt8]]) {
    self.include = include
    self.exclude = exclude
  }

  init(_ invocation: Invocation) throws(Command.Failure) {
    include = invocation.all("include").map(\.bytes)
    exclude = invocation.all("exclude").map(\.bytes)
    if !include.isEmpty || !exclude.isEmpty, !invocation.has("recursive") {
      throw .usage("--include and --exclude choose among what -R finds", invocation.command)
    }
  }

  /// Whether the object or folder at `path`, counted from where the search began, is wanted.
  func accepts(_ path: [UInt8], isFolder: Bool) -> Bool {
    if exclude.contains(where: { Self.matches($0, path) }) { return false }
    return isFolder || include.isEmpty || include.contains { Self.matches($0, path) }
  }

  /// A pattern with a slash is about the whole path, one without about its last component.
  private static func matches(_ glob: [UInt8], _ path: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    if glob.contains(slash) { return System.matches(glob.span, path.span) }
    let start = path.lastIndex(of: slash).map { $0 + 1 } ?? 0
    return System.matches(glob.span, path.span.extracting(start..<path.count))
  }
}
