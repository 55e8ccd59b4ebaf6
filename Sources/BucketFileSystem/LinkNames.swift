internal import SystemCalls

/// The names by which files with several links were looked up: by whom, and which are known at all.
///
/// For such files the kernel looks a name up before each use by path, on the thread that uses it, so that the thread's
/// latest lookup is the name it means.
final class LinkNames: Sendable {
  struct Place: Sendable {
    let parent: Inode
    let name: [UInt8]
  }

  private struct Names {
    var known: [Place] = []
    /// The latest lookups by thread, newest last.
    var recent: [(thread: Int32, place: Place)] = []
  }

  private static let recentLimit = 32
  private static let knownLimit = 64
  private let names = Mutex<[NodeID: Names]>([:])

  /// Notes a lookup by `thread`; 0 for a name that nobody has used yet.
  func note(_ inode: Inode, name: Span<UInt8>, parent: Inode, thread: Int32) {
    names.withLock { names in
      var entry = names.removeValue(forKey: inode.id) ?? Names()
      let place =
        entry.known.first { $0.parent === parent && $0.name.equals(name) }
        ?? Place(parent: parent, name: Array(name))
      if !entry.known.contains(where: { $0.parent === parent && $0.name == place.name }) { entry.known.append(place) }
      if entry.known.count > Self.knownLimit { entry.known.removeFirst() }
      entry.recent.removeAll { $0.thread == thread }
      if thread != 0 { entry.recent.append((thread, place)) }
      if entry.recent.count > Self.recentLimit { entry.recent.removeFirst() }
      names[inode.id] = entry
    }
  }

  /// The name of the thread's latest lookup, which it is about to use: taken, since the next use by name brings a lookup
  /// of its own, unless it is by a name that the kernel still trusts from before there were several.
  func take(_ inode: Inode, thread: Int32) -> Place? {
    names.withLock { names in
      guard let index = names[inode.id]?.recent.lastIndex(where: { $0.thread == thread }) else { return nil }
      return names[inode.id]?.recent.remove(at: index).place
    }
  }

  /// All names that are known, the oldest first, which is the one that the kernel may still trust.
  func known(of inode: Inode) -> [Place] {
    names.withLock { $0[inode.id]?.known ?? [] }
  }

  /// A name went away or became another; `moved` is where it went.
  func remove(_ inode: Inode, name: Span<UInt8>, parent: Inode, moved: Place? = nil) {
    names.withLock { names in
      guard var entry = names.removeValue(forKey: inode.id) else { return }
      entry.known.removeAll { $0.parent === parent && $0.name.equals(name) }
      entry.recent.removeAll { $0.place.parent === parent && $0.place.name.equals(name) }
      if let moved { entry.known.append(moved) }
      if entry.known.count > Self.knownLimit { entry.known.removeFirst() }
      names[inode.id] = entry
    }
  }

  /// The kernel forgot the inode.
  func forget(_ id: NodeID) {
    names.withLock { _ = $0.removeValue(forKey: id) }
  }
}
