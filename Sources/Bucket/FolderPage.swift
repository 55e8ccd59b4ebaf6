internal import SystemCalls

/// Some of the names in a folder, in the order in which Cloud Storage lists them: by the bytes of the whole name, a
/// folder's with the slash that follows it.
package struct FolderPage: Sendable {
  /// A name in the folder.
  package struct Item: Sendable {
    /// The last component, followed by a slash where it is a folder: what the order goes by.
    package let key: [UInt8]

    package var isFolder: Bool { key.last == UInt8(ascii: "/") }
    /// The last component.
    package var name: ArraySlice<UInt8> { isFolder ? key.dropLast() : key[...] }
  }

  /// The names, in order.
  package var items: [Item] = []
  /// Whether others follow.
  package var isCut = false
}

extension BucketStore {
  /// Lists the objects and folders in the folder of that name: those whose keys follow `start`, at most `limit` of them,
  /// nil for all. What is no object is left out, and a folder that is not there is empty.
  package func list(
    _ path: ObjectPath, after start: [UInt8] = [], atMost limit: Int? = nil
  ) throws(ObjectError) -> FolderPage {
    guard let folder = try folderIfThere(path) else { return FolderPage() }
    var keys: [[UInt8]] = []
    do throws(Errno) {
      var buffer = ByteBuffer(capacity: 1 << 18)
      while try buffer.fill({ memory throws(Errno) in
        try System.readDirectory(folder.descriptor, into: memory)
      }) > 0 {
        try collect(buffer.span, of: folder.descriptor, isRoot: path.isRoot, after: start, into: &keys)
        // Of a large folder no more is kept than a page and what was read since.
        if let limit, keys.count > 2 * limit + 10_000 { Self.cut(&keys, to: limit + 1) }
      }
    } catch {
      throw .system(error)
    }
    Self.cut(&keys, to: limit.map { $0 + 1 } ?? .max)
    let isCut = limit.map { keys.count > $0 } ?? false
    if isCut { keys.removeLast() }
    return FolderPage(items: keys.map { FolderPage.Item(key: $0) }, isCut: isCut)
  }

  private func folderIfThere(_ path: ObjectPath) throws(ObjectError) -> OwnedDescriptor? {
    do throws(ObjectError) {
      return try openFolder(path)
    } catch .notFound {
      return nil
    }
  }

  private static func cut(_ keys: inout [[UInt8]], to count: Int) {
    keys.sort { $0.span.order(to: $1.span) < 0 }
    if keys.count > count { keys.removeLast(keys.count - count) }
  }

  private func collect(
    _ entries: Span<UInt8>, of folder: Descriptor, isRoot: Bool, after start: [UInt8], into keys: inout [[UInt8]]
  ) throws(Errno) {
    var position = 0
    while position < entries.count {
      let entry = DirectoryEntry(entries, at: position)
      position = entry.end
      let name = entries.extracting(entry.name)
      if isDots(name) { continue }
      if isRoot, name.equals(PrivateFolder.name.bytes) { continue }
      if name.starts(with: StagedObject.prefix.bytes) { continue }
      guard let isFolder = try isFolder(entry, name, in: folder) else { continue }
      var key: [UInt8] = name.array
      if isFolder { key.append(UInt8(ascii: "/")) }
      if key.span.order(to: start.span) > 0 { keys.append(key) }
    }
  }

  private func isDots(_ name: Span<UInt8>) -> Bool {
    let dots: StaticString = ".."
    return name.count <= 2 && dots.bytes.starts(with: name)
  }

  /// Whether an entry is a folder or an object, nil where it is neither.
  private func isFolder(
    _ entry: DirectoryEntry, _ name: Span<UInt8>, in folder: Descriptor
  ) throws(Errno) -> Bool? {
    var type = entry.type
    if type == 0 {
      do throws(Errno) {
        type = try System.status(of: name, in: folder).mode & 0o170000
      } catch .noSuchFileOrDirectory {
        return nil
      }
    }
    switch FileType(rawValue: type) {
    case .directory: return true
    case .regular: return false
    default: return nil
    }
  }
}
