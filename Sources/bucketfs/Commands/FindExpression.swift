internal import SystemCalls

/// What `find` looks for.
indirect enum FindExpression {
  case all([FindExpression])
  case any([FindExpression])
  case not(FindExpression)
  case test(FindTest)

  /// Reads the words of an expression; none are one that everything matches.
  init(_ words: ArraySlice<Argument>, _ command: CommandDescription) throws(Command.Failure) {
    guard !words.isEmpty else {
      self = .all([])
      return
    }
    var rest = words
    self = try Self.alternatives(&rest, command, depth: 0)
    if let word = rest.first { throw .usage("find: '\(word.text)' does not belong here", command) }
  }

  /// Whether the object matches.
  func matches(_ object: Reached, _ access: BucketAccess) throws(AccessError) -> Bool {
    switch self {
    case .all(let parts):
      for part in parts where !(try part.matches(object, access)) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.matches(object, access) { return true }
      return false
    case .not(let part): return !(try part.matches(object, access))
    case .test(let test): return try test.matches(object, access)
    }
  }

  private static func alternatives(
    _ rest: inout ArraySlice<Argument>, _ command: CommandDescription, depth: Int
  ) throws(Command.Failure) -> FindExpression {
    var parts = [try conjunction(&rest, command, depth: depth)]
    while rest.first == "or" {
      rest.removeFirst()
      parts.append(try conjunction(&rest, command, depth: depth))
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private static func conjunction(
    _ rest: inout ArraySlice<Argument>, _ command: CommandDescription, depth: Int
  ) throws(Command.Failure) -> FindExpression {
    var parts = [try term(&rest, command, depth: depth)]
    while let word = rest.first, word != "or", word != ")" {
      if word == "and" { rest.removeFirst() }
      parts.append(try term(&rest, command, depth: depth))
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  /// How many ( and not may stand around a test: each takes of the stack, which ends.
  private static let deepest = 100

  private static func term(
    _ rest: inout ArraySlice<Argument>, _ command: CommandDescription, depth: Int
  ) throws(Command.Failure) -> FindExpression {
    guard let word = rest.popFirst() else { throw .usage("find: the expression ends too early", command) }
    guard depth < deepest else { throw .usage("find: the expression is nested too deeply", command) }
    switch word {
    case "not", "!": return .not(try term(&rest, command, depth: depth + 1))
    case "(":
      let inner = try alternatives(&rest, command, depth: depth + 1)
      guard rest.popFirst() == ")" else { throw .usage("find: a ( has no )", command) }
      return inner
    case ")", "and", "or": throw .usage("find: '\(word.text)' does not belong here", command)
    default: return .test(try FindTest(word, command))
    }
  }
}
