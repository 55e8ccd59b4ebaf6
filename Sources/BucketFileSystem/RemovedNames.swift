internal import SystemCalls

/// The generations of objects that were removed, by the name that they left: a new object of that name must have a
/// higher one, also when the clock was stepped back or stands still within a tick.
///
/// Bounded: of what does not fit, the highest generation alone is kept, and counts for every name.
final class RemovedNames: Sendable {
  private struct State {
    /// Open addressing without moving: one place for each hash, the newer entry takes it.
    var entries = [(hash: UInt64, generation: UInt64)](repeating: (0, 0), count: RemovedNames.capacity)
    /// The highest generation that was pushed out.
    var pushedOut: UInt64 = 0
  }

  private static let capacity = 4096
  private let state = Mutex(State())

  /// Notes that an object of this generation left the name.
  func note(_ name: Span<UInt8>, in parent: InodeKey, generation: UInt64) {
    let hash = Self.hash(name, parent)
    state.withLock { state in
      let place = Int(hash % UInt64(Self.capacity))
      let old = state.entries[place]
      if old.hash == hash {
        state.entries[place].generation = max(old.generation, generation)
      } else {
        state.pushedOut = max(state.pushedOut, old.generation)
        state.entries[place] = (hash, generation)
      }
    }
  }

  /// The generation above which a new object of the name must be; 0 where nothing is known against any.
  func floor(of name: Span<UInt8>, in parent: InodeKey) -> UInt64 {
    let hash = Self.hash(name, parent)
    return state.withLock { state in
      let entry = state.entries[Int(hash % UInt64(Self.capacity))]
      return max(state.pushedOut, entry.hash == hash ? entry.generation : 0)
    }
  }

  private static func hash(_ name: Span<UInt8>, _ parent: InodeKey) -> UInt64 {
    var hash = parent.spread ^ 0xcbf2_9ce4_8422_2325
    for position in name.indices { hash = (hash ^ UInt64(name[position])) &* 0x100_0000_01b3 }
    return hash | 1
  }
}
