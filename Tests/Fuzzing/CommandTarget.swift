@testable import Bucket
import SystemCalls
@testable import bucketfs

/// What the command reads: JSON in its four forms, expressions of `find` on real objects, patterns, and the words of a
/// command line. What was read and written again must read as the same.
struct CommandTarget: FuzzTarget {
  private let access: BucketAccess
  private let files: [OpenObject]

  /// A file and what it is to the command.
  private final class OpenObject {
    let owner: OwnedDescriptor
    let reached: Reached

    init(_ path: [UInt8], _ kind: ObjectReference.Kind, name: String) throws(Errno) {
      owner = try System.open(path.span, in: .workingDirectory, [.path])
      reached = Reached(file: owner.descriptor, kind: kind, name: Array(name.utf8), path: path)
    }
  }

  init() throws {
    let directory = Tree.workspace()
    Tree.write(directory + "/forest.jpg".utf8, Array("hello world".utf8))
    Tree.write(directory + "/empty".utf8, [])
    let store = try BucketStore.open(directory.span, name: Array("bucket".utf8), readOnly: false)
    let reader = MetadataReader(
      store: store, mediaTypes: MediaTypes(systemPath: Array("/nonexistent".utf8)),
      hasher: try ContentHasher(threads: 0))
    access = BucketAccess(.directory(reader))
    files = [
      try OpenObject(directory + "/forest.jpg".utf8, .object, name: "forest.jpg"),
      try OpenObject(directory + "/empty".utf8, .object, name: "empty"),
    ]
    var entry = StoredEntry(name: Array("forest.jpg".utf8))
    entry.properties[.cacheControl] = .value(Array("public,max-age=300".utf8))
    entry.custom[Array("location".utf8)] = Array("Yosemite, CA, USA".utf8)
    try access.replace(StoredEntry(name: entry.name), of: files[0].reached, with: entry)
  }

  func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    switch input.byte() & 7 {
    case 0: patch(input.remainder(), onFolder: false)
    case 1: patch(input.remainder(), onFolder: true)
    case 2: line(input.remainder())
    case 3: _ = try? EmulatorObject(json: input.remainder())
    case 4: entries(input.remainder())
    case 5: find(Self.words(input.remainder()))
    case 6: arguments(Self.words(input.remainder()))
    default: filter(Self.words(input.remainder()).map(\.bytes))
    }
  }

  /// A word for each line; none holds a NUL, as on the command line.
  private static func words(_ bytes: [UInt8]) -> [Argument] {
    bytes.filter { $0 != 0 }.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Argument(bytes: Array($0)) }
  }

  private func patch(_ json: [UInt8], onFolder: Bool) {
    guard let patch = try? MetadataPatch(json: json.span, onFolder: onFolder) else { return }
    let again = patch.json
    demand((try? MetadataPatch(json: again.span, onFolder: onFolder)) == patch, "a patch changed by being written")
  }

  private func line(_ json: [UInt8]) {
    guard let entry = try? StoredEntry(line: json.span) else { return }
    let again = entry.json
    demand((try? StoredEntry(line: again.span)) == entry, "a line of a dump changed by being written")
  }

  private func entries(_ json: [UInt8]) {
    guard let entries = try? CustomEntry.entries(json: json.span) else { return }
    demand(Set(entries.map(\.key)).count == entries.count, "custom metadata has a key twice")
    for entry in entries {
      demand(entry.isJSONText, "custom metadata from JSON is no text")
      let text = JSONText.string(String(decoding: entry.key, as: UTF8.self))
      let members = try? JSONValue.members(of: Array("{\(text):\(JSONText.value(entry.value))}".utf8).span, depth: 1)
      demand(members == [JSONMember(key: entry.key, value: .string(entry.value))], "JSON text changed by being written")
    }
  }

  private func find(_ words: [Argument]) {
    guard let expression = try? FindExpression(words[...], FindCommand.description) else { return }
    for file in files {
      demand((try? expression.matches(file.reached, access)) != nil, "an expression cannot be tried")
    }
  }

  private func arguments(_ words: [Argument]) {
    guard let command = CommandTable.commands.first(where: { $0.name == words[0].text }),
      let invocation = try? Invocation(command, words.dropFirst())
    else { return }
    if let edit = try? MetadataEdit(setting: invocation) { patch(edit.patch.json, onFolder: false) }
    if let edit = try? MetadataEdit(unsetting: invocation) { patch(edit.patch.json, onFolder: false) }
    if let filter = try? NameFilter(invocation) { _ = filter.accepts(Array("images/forest.jpg".utf8), isFolder: false) }
  }

  private func filter(_ words: [[UInt8]]) {
    let filter = NameFilter(include: Array(words.dropFirst(2)), exclude: Array(words.dropFirst().prefix(1)))
    _ = filter.accepts(words[0], isFolder: false)
  }
}
