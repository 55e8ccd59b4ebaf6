internal import SystemCalls

/// What is remembered for programs that save a file by replacing it: who made which file, and who moved which object
/// away from its name. In memory only, and for a short time.
final class Replacements: Sendable {
  /// An object that was renamed away.
  struct Departure: Sendable {
    let inode: Inode
    let thread: Int32
    let time: UInt64
  }

  private struct Creation {
    let born: Timestamp
    let thread: Int32
    let time: UInt64
  }

  private struct NameKey: Hashable {
    let parent: InodeKey
    let name: [UInt8]
  }

  private struct State {
    var creations: [InodeKey: Creation] = [:]
    var departures: [NameKey: Departure] = [:]
    /// How many there may be before the next look for those whose time is over.
    var creationLimit = Replacements.sweepCount
    var departureLimit = Replacements.sweepCount
  }

  /// Nanoseconds for which the maker of a file is remembered.
  private static let creationSpan: UInt64 = 60_000_000_000
  /// Nanoseconds for which a departure is remembered.
  private static let departureSpan: UInt64 = 10_000_000_000
  /// How many are remembered at least before those whose time is over are looked for.
  private static let sweepCount = 4096

  private let state = Mutex(State())

  /// The file was made by the thread.
  func noteCreation(of inode: Inode, by thread: Int32) {
    let now = Clock.monotonic
    state.withLock { state in
      if state.creations.count >= state.creationLimit {
        state.creations = state.creations.filter { now - $0.value.time < Self.creationSpan }
        state.creationLimit = Self.nextLimit(after: state.creations.count)
      }
      state.creations[inode.key] = Creation(born: inode.born, thread: thread, time: now)
    }
  }

  /// The file's metadata is its maker's own business from now on: its xattrs were listed, set or removed.
  func forgetCreation(of inode: Inode) {
    state.withLock { _ = $0.creations.removeValue(forKey: inode.key) }
  }

  /// The thread that made the file less than a minute ago and left its xattrs alone.
  func creator(of key: InodeKey, born: Timestamp) -> Int32? {
    let creation = state.withLock { $0.creations[key] }
    guard let creation, creation.born == born, Clock.monotonic - creation.time < Self.creationSpan else { return nil }
    return creation.thread
  }

  /// The object was renamed away from the name by the thread.
  func noteDeparture(of inode: Inode, from name: Span<UInt8>, in parent: InodeKey, by thread: Int32) {
    let now = Clock.monotonic
    let key = NameKey(parent: parent, name: Array(name))
    state.withLock { state in
      if state.departures.count >= state.departureLimit {
        state.departures = state.departures.filter { now - $0.value.time < Self.departureSpan }
        state.departureLimit = Self.nextLimit(after: state.departures.count)
      }
      state.departures[key] = Departure(inode: inode, thread: thread, time: now)
    }
  }

  /// Takes out the object that was renamed away from the name in the last ten seconds.
  func takeDeparture(from name: Span<UInt8>, in parent: InodeKey) -> Departure? {
    let isEmpty = state.withLock { $0.departures.isEmpty }
    if isEmpty { return nil }
    let key = NameKey(parent: parent, name: Array(name))
    let departure = state.withLock { $0.departures.removeValue(forKey: key) }
    guard let departure, Clock.monotonic - departure.time < Self.departureSpan else { return nil }
    return departure
  }

  /// Twice as many as are left: a look costs as much as there are, and so each new one costs little however many are
  /// made in a minute.
  private static func nextLimit(after count: Int) -> Int {
    max(sweepCount, count * 2)
  }

  /// Whether two threads are of one process. Pid 0 is nobody's.
  static func isSameProcess(_ thread: Int32, _ other: Int32) -> Bool {
    if thread == 0 || other == 0 { return false }
    return thread == other || System.isThread(other, ofProcessOf: thread)
  }
}
