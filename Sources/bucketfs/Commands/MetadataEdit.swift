internal import Bucket
internal import SystemCalls

/// The change that the words of `set` or `unset` ask for, checked by the rules of the properties.
struct MetadataEdit {
  /// The objects that it is for.
  private(set) var paths: [Argument] = []
  private(set) var patch = MetadataPatch()
  /// The properties, for messages.
  private(set) var names: [String] = []

  /// Reads words of which those that have `=` behind a name without a slash are changes.
  init(setting invocation: Invocation) throws(Command.Failure) {
    for word in invocation.operands {
      if let (name, value) = word.split(at: UInt8(ascii: "=")), !name.bytes.contains(UInt8(ascii: "/")) {
        try add(name, value.bytes, invocation.command)
      } else {
        paths.append(word)
      }
    }
    try finish(invocation)
  }

  /// Reads words of which the first is a path, and of the others those that are names of properties are changes.
  init(unsetting invocation: Invocation) throws(Command.Failure) {
    for (index, word) in invocation.operands.enumerated() {
      if index > 0, Self.customKey(word) != nil || Property.named(word.bytes.span) != nil {
        try add(word, nil, invocation.command)
      } else {
        paths.append(word)
      }
    }
    try finish(invocation)
  }

  private mutating func finish(_ invocation: Invocation) throws(Command.Failure) {
    guard !paths.isEmpty else { throw .usage("\(invocation.command.name): no PATH is given", invocation.command) }
    guard !names.isEmpty else { throw .usage("\(invocation.command.name): no PROPERTY is given", invocation.command) }
    patch.generation = try Self.number("if-generation-match", invocation)
    patch.metageneration = try Self.number("if-metageneration-match", invocation)
  }

  private static func number(_ option: String, _ invocation: Invocation) throws(Command.Failure) -> UInt64? {
    guard let word = invocation.value(option) else { return nil }
    guard let number = UInt64(word.text) else {
      throw .usage("--\(option) takes a decimal number, not '\(word.text)'", invocation.command)
    }
    return number
  }

  private static let customPrefix = Array("customMetadata.".utf8)

  /// KEY of `customMetadata.KEY`.
  static func customKey(_ word: Argument) -> [UInt8]? {
    word.bytes.starts(with: customPrefix) ? Array(word.bytes.dropFirst(customPrefix.count)) : nil
  }

  private mutating func add(
    _ name: Argument, _ value: [UInt8]?, _ command: CommandDescription
  ) throws(Command.Failure) {
    names.append(name.text)
    if let key = Self.customKey(name) {
      return try add(name, key: key, value)
    }
    guard let property = Property.named(name.bytes.span) else {
      throw .usage(
        "there is no property '\(name.text)'; customMetadata.\(name.text) would be a custom entry", command)
    }
    if property.source == .customMetadata {
      guard value == nil else { throw .usage("set customMetadata.KEY=VALUE for each entry", command) }
      patch.customMetadata = .removeAll
      return
    }
    guard let stored = property.stored else { throw .failed("cannot change \(name.text): the property is read-only") }
    if let value {
      do throws(MetadataError) {
        try property.check(value.span)
      } catch {
        throw .failed("cannot set \(name.text) to '\(value.displayed)': \(error.description)")
      }
    }
    patch.properties[stored] = .some(value)
  }

  private mutating func add(_ name: Argument, key: [UInt8], _ value: [UInt8]?) throws(Command.Failure) {
    do throws(MetadataError) {
      try CustomEntry.check(key: key.span)
      if let value { try CustomEntry.check(value: value.span) }
    } catch {
      throw .failed("cannot set \(name.text): \(error.description)")
    }
    guard CustomEntry(key: key, value: value ?? []).isJSONText else {
      throw .failed("cannot set \(name.text): key and value have to be UTF-8; setfattr can store other bytes")
    }
    guard case .merge(var entries) = patch.customMetadata else { return }
    entries[key] = .some(value)
    patch.customMetadata = .merge(entries)
  }
}
