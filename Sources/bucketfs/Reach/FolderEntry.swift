internal import Bucket
internal import SystemCalls

/// An object or a folder in a folder, as reading it tells.
struct FolderEntry {
  let name: [UInt8]
  let isFolder: Bool

  /// Whether it is bucketfs's own where it stands in a bucket's root.
  var isPrivate: Bool { name.elementsEqual(".bucketfs".utf8) }

  /// The objects and folders in the folder, sorted as object names are.
  static func all(in folder: Descriptor) throws(Errno) -> [FolderEntry] {
    let opened = try System.open([UInt8(ascii: ".")].span, in: folder, [.readOnly, .directory])
    var buffer = ByteBuffer(capacity: 1 << 15)
    var entries: [FolderEntry] = []
    while true {
      let count = try buffer.fill { memory throws(Errno) in
        try System.readDirectory(opened.descriptor, into: memory)
      }
      if count == 0 { break }
      take(buffer.span, opened.descriptor, into: &entries)
    }
    entries.sort { $0.precedes($1) }
    return entries
  }

  /// Takes the entries out of a run of `linux_dirent64`: 8 bytes inode, 8 offset, 2 length, 1 type, then the name.
  private static func take(_ bytes: Span<UInt8>, _ folder: Descriptor, into entries: inout [FolderEntry]) {
    var start = 0
    while start + 19 <= bytes.count {
      let length = Int(bytes[start + 16]) | Int(bytes[start + 17]) << 8
      let tail = bytes.extracting(start + 19..<start + length)
      let name = tail.extracting(first: tail.firstIndex(of: 0) ?? tail.count)
      let type = bytes[start + 18]
      start += length
      let isDots = name[0] == UInt8(ascii: ".") && (name.count == 1 || name.count == 2 && name[1] == UInt8(ascii: "."))
      if isDots { continue }
      switch type {
      case directory: entries.append(FolderEntry(name: name.array, isFolder: true))
      case regular: entries.append(FolderEntry(name: name.array, isFolder: false))
      case unknown:
        guard let status = try? System.status(of: name, in: folder) else { continue }
        if status.isDirectory || status.isRegular {
          entries.append(FolderEntry(name: name.array, isFolder: status.isDirectory))
        }
      default: break
      }
    }
  }

  /// DT_DIR, DT_REG and DT_UNKNOWN.
  private static let directory: UInt8 = 4
  private static let regular: UInt8 = 8
  private static let unknown: UInt8 = 0

  private func precedes(_ other: FolderEntry) -> Bool {
    let common = min(name.count, other.name.count)
    let order = name.span.extracting(first: common).order(to: other.name.span.extracting(first: common))
    if order != 0 { return order < 0 }
    return next(common) < other.next(common)
  }

  /// The byte at `index`, a slash behind a folder's name; -1 at the end.
  private func next(_ index: Int) -> Int {
    index < name.count ? Int(name[index]) : isFolder ? Int(UInt8(ascii: "/")) : -1
  }
}
