import CTestSupport
import SystemCalls

/// Everything that can be seen of a tree of files, for comparing it with itself or with a copy.
package struct Tree: Equatable {
  /// One file or folder.
  package struct Entry: Equatable {
    package var status: PathStatus
    package var attributes: [String: [UInt8]]
    /// A file's bytes, a symlink's target.
    package var content: [UInt8]
  }

  /// By path relative to the root, whose own is empty.
  package private(set) var entries: [String: Entry] = [:]

  /// Reads the tree without moving any time in it, as root can.
  package init(_ root: Path) throws {
    try add(root, as: "")
  }

  private mutating func add(_ path: Path, as name: String) throws {
    let status = try path.status()
    var entry = Entry(status: status, attributes: [:], content: [])
    switch status.mode & 0o170000 {
    case 0o040000:
      entry.attributes = try path.attributes()
      let folder = try OpenFile(path, O_RDONLY | O_DIRECTORY | test_o_noatime)
      for child in try folder.entries() {
        try add(path / Path(child), as: name.isEmpty ? child : "\(name)/\(child)")
      }
    case 0o100000:
      entry.attributes = try path.attributes()
      let file = try OpenFile(path, O_RDONLY | test_o_noatime)
      entry.content = try file.read(Int(status.size))
    default:
      break
    }
    entries[name] = entry
  }

  /// The names of what differs between two trees.
  package func differences(from other: Tree) -> [String] {
    Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.sorted()
  }

  /// The names of what differs as a copy may not: content, permissions, modification time, attributes.
  package func copyDifferences(from other: Tree) -> [String] {
    Set(entries.keys).union(other.entries.keys).filter { name in
      guard let mine = entries[name], let theirs = other.entries[name] else { return true }
      return mine.content != theirs.content || mine.status.mode != theirs.status.mode
        || mine.status.modified != theirs.status.modified || mine.status.owner != theirs.status.owner
        || mine.attributes != theirs.attributes
    }.sorted()
  }
}
