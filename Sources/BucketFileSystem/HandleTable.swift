internal import SystemCalls

/// The open files or directories that the kernel holds, by FUSE's `fh`.
///
/// A handle carries the number of its slot's use, so that one that was released is refused instead of reaching what
/// was opened since.
final class HandleTable<Handle: AnyObject & Sendable>: Sendable {
  private struct State {
    var slots: [(handle: Handle?, use: UInt32)] = []
    var free: [UInt32] = []
  }

  private let state = Mutex(State())

  /// Adds a handle and returns its `fh`.
  func insert(_ handle: Handle) -> UInt64 {
    state.withLock { state in
      if let slot = state.free.popLast() {
        state.slots[Int(slot)].handle = handle
        return UInt64(slot) | UInt64(state.slots[Int(slot)].use) << 32
      }
      state.slots.append((handle, 1))
      return UInt64(state.slots.count - 1) | 1 << 32
    }
  }

  /// The handle behind an `fh`; EBADF for one that is not open.
  func handle(_ number: UInt64) throws(Errno) -> Handle {
    let found = state.withLock { state in
      Self.position(number, in: state).flatMap { state.slots[$0].handle }
    }
    guard let found else { throw .badFileDescriptor }
    return found
  }

  /// Takes a handle out.
  func remove(_ number: UInt64) throws(Errno) -> Handle {
    let removed = state.withLock { state -> Handle? in
      guard let position = Self.position(number, in: state) else { return nil }
      let handle = state.slots[position].handle
      state.slots[position].handle = nil
      state.slots[position].use &+= 1
      state.free.append(UInt32(position))
      return handle
    }
    guard let removed else { throw .badFileDescriptor }
    return removed
  }

  /// How many handles are open.
  var count: Int {
    state.withLock { $0.slots.count - $0.free.count }
  }

  private static func position(_ number: UInt64, in state: State) -> Int? {
    let slot = Int(number & 0xffff_ffff)
    guard slot < state.slots.count, state.slots[slot].use == UInt32(number >> 32), state.slots[slot].handle != nil
    else { return nil }
    return slot
  }
}
