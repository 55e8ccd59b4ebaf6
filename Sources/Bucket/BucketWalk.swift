package import SystemCalls

/// A walk over everything in a bucket that can have metadata: the root folder, folders and objects, each folder before
/// what is in it, names in the order of their bytes. `.bucketfs`, symlinks, FIFOs and sockets are left out.
package struct BucketWalk {
  /// One of them.
  package struct Item {
    /// Its object name; empty for the root folder.
    package let name: [UInt8]
    /// Opened with O_PATH; borrowed for the call.
    package let descriptor: Descriptor
    package let status: FileStatus
  }

  private let root: Descriptor
  private let visit: (Item) -> Void
  private let fail: (_ name: [UInt8], Errno) -> Void

  /// Walks over the bucket of root folder `root`: `visit` gets each item, `fail` what could not be opened or read.
  package static func run(
    _ root: Descriptor, visit: (Item) -> Void, fail: (_ name: [UInt8], Errno) -> Void
  ) {
    withoutActuallyEscaping(visit) { visit in
      withoutActuallyEscaping(fail) { fail in
        BucketWalk(root: root, visit: visit, fail: fail).enter(root, name: [])
      }
    }
  }

  private func enter(_ folder: Descriptor, name: [UInt8]) {
    do throws(Errno) {
      let status = try System.status(of: folder)
      visit(Item(name: name, descriptor: folder, status: status))
      guard status.isDirectory else { return }
      for entry in try Self.entries(of: folder) where !(name.isEmpty && entry == Self.privateName) {
        look(at: entry, in: folder, name: name.isEmpty ? entry : name + [UInt8(ascii: "/")] + entry)
      }
    } catch {
      fail(name, error)
    }
  }

  private func look(at entry: [UInt8], in folder: Descriptor, name: [UInt8]) {
    do throws(Errno) {
      let status = try System.status(of: entry.span, in: folder)
      guard status.isRegular || status.isDirectory else { return }
      let file = try System.open(entry.span, in: folder, [.path, .noFollow])
      enter(file.descriptor, name: name)
    } catch {
      // Removed since the folder was read.
      if error != .noSuchFileOrDirectory { fail(name, error) }
    }
  }

  private static var privateName: [UInt8] { PrivateFolder.name.bytes.array }

  /// The names in a folder, which may have been opened with O_PATH, in the order of their bytes.
  package static func entries(of folder: Descriptor) throws(Errno) -> [[UInt8]] {
    let opened = try System.reopen(folder, [.readOnly, .directory])
    var buffer = ByteBuffer(capacity: 65536)
    var names: [[UInt8]] = []
    while true {
      let count = try buffer.fill { memory throws(Errno) in
        try System.readDirectory(opened.descriptor, into: memory)
      }
      if count == 0 { break }
      collect(buffer.span, into: &names)
    }
    return names.sorted { $0.span.order(to: $1.span) < 0 }
  }

  /// Takes the names out of a run of `linux_dirent64`: 8 bytes inode, 8 offset, 2 length, 1 type, then the name.
  private static func collect(_ entries: Span<UInt8>, into names: inout [[UInt8]]) {
    var start = 0
    while start < entries.count {
      let length = Int(entries[start + 16]) | Int(entries[start + 17]) << 8
      let tail = entries.extracting(start + 19..<start + length)
      let name = tail.extracting(first: tail.firstIndex(of: 0) ?? tail.count).array
      if name != [UInt8(ascii: ".")] && name != [UInt8(ascii: "."), UInt8(ascii: ".")] { names.append(name) }
      start += length
    }
  }
}
