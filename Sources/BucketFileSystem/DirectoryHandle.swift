internal import SystemCalls

/// One open of a directory: the entries that were read ahead and where in the directory they stand.
package final class DirectoryHandle: Sendable {
  struct State: ~Copyable {
    var entries = ByteBuffer(capacity: 32 * 1024)
    /// Where in `entries` the next one starts.
    var next = 0
    /// The directory's position of that entry, as its filesystem counts; nil before the first read.
    var position: Int64?
    /// When the reads from the first entry on began, by the monotonic clock; 0 where they did not begin there.
    var began: UInt64 = 0
  }

  let inode: Inode
  private let owned: OwnedDescriptor
  /// Orders the reads of one open directory; they block on the backing filesystem and on nothing else.
  let state = Mutex(State())

  var descriptor: Descriptor { owned.descriptor }

  init(inode: Inode, descriptor: consuming OwnedDescriptor) {
    self.inode = inode
    owned = descriptor
  }
}

/// Where READDIR's entries go; FUSE's reply buffer in the daemon.
package protocol DirectorySink: ~Copyable {
  /// Whether an entry with a name of so many bytes still fits.
  func hasRoom(forName count: Int) -> Bool
  /// Adds an entry of READDIR.
  ///
  /// - Parameters:
  ///   - type: the file type, as the upper bits of a mode.
  ///   - next: the position behind the entry.
  mutating func add(_ name: Span<UInt8>, inode: UInt64, type: UInt32, next: Int64)
  /// Adds an entry of READDIRPLUS.
  mutating func add(_ name: Span<UInt8>, _ entry: Entry, next: Int64)
}
