/// One `linux_dirent64` in a buffer that `System.readDirectory` filled.
package struct DirectoryEntry: Sendable {
  package let inode: UInt64
  /// The position behind it.
  package let next: Int64
  /// The upper bits of a mode, 0 where the filesystem does not say.
  package let type: UInt32
  /// Where its name is.
  package let name: Range<Int>
  /// Where the following entry starts.
  package let end: Int

  /// Reads the entry that starts at `start`.
  package init(_ bytes: Span<UInt8>, at start: Int) {
    let raw = bytes.bytes
    inode = raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
    next = raw.unsafeLoadUnaligned(fromByteOffset: start + 8, as: Int64.self)
    end = start + Int(raw.unsafeLoadUnaligned(fromByteOffset: start + 16, as: UInt16.self))
    type = UInt32(bytes[start + 18]) << 12
    var last = start + 19
    while bytes[last] != 0 { last += 1 }
    name = start + 19..<last
  }
}
