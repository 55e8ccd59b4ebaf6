package import SystemCalls

/// What is known of a file while at least one handle to it is open.
final class OpenState: Sendable {
  /// How the kernel reaches the content. The same for all handles of one inode: the kernel refuses a mixture, EIO.
  enum Backing {
    case undecided
    /// Reads and writes come to the daemon.
    case daemon
    /// The kernel does them, with this id of the backing file.
    case kernel(Int32)
  }

  struct State {
    var backing = Backing.undecided
    var writers = 0
    /// The content that somebody may have seen as finished; nil for a file whose first content is being written.
    var seen: SeenContent?
  }

  /// Orders opens and releases of this one file; taken before any shard's lock.
  let lock = Mutex(State())
  /// How many handles there are, guarded by the lock of the inode's shard.
  nonisolated(unsafe) var handles = 0
}

/// Content that had a generation when it was last looked at.
struct SeenContent {
  var generation: UInt64
  var size: UInt64
  var modified: Timestamp

  /// Whether the file still looks as it did.
  func isContent(of status: FileStatus) -> Bool {
    status.size == size && status.modified == modified
  }
}

/// What changes with each change of a file.
struct FileTimes: Equatable {
  var size: UInt64
  var modified: Timestamp
  var changed: Timestamp

  init(_ status: FileStatus) {
    size = status.size
    modified = status.modified
    changed = status.changed
  }
}

/// One open of a file.
package final class FileHandle: Sendable {
  let inode: Inode
  let state: OpenState
  let flags: OpenFlags
  /// For a writable handle, the file as it was before this open.
  let before: FileTimes?
  private let owned: OwnedDescriptor

  /// The backing file, opened as the caller asked.
  package var descriptor: Descriptor { owned.descriptor }

  init(
    inode: Inode, state: OpenState, descriptor: consuming OwnedDescriptor, flags: OpenFlags, before: FileTimes?
  ) {
    self.inode = inode
    self.state = state
    self.flags = flags
    self.before = before
    owned = descriptor
  }
}

extension InodeTable {
  /// The open state of the inode, counted once more.
  func retainOpenState(of inode: Inode) -> OpenState {
    shard(of: inode.key).lock.withLock { _ in
      let state = inode.open ?? OpenState()
      inode.open = state
      state.handles += 1
      return state
    }
  }

  /// Counts one handle less. True for the last one: the state is the inode's no longer.
  func dropOpenState(_ state: OpenState, of inode: Inode) -> Bool {
    shard(of: inode.key).lock.withLock { _ in
      state.handles -= 1
      guard state.handles == 0 else { return false }
      inode.open = nil
      return true
    }
  }

  /// The open state, where there is one.
  func openState(of inode: Inode) -> OpenState? {
    shard(of: inode.key).lock.withLock { _ in inode.open }
  }
}
