internal import SystemCalls

/// Digests of contents that were read, for as long as device, inode, size, mtime and ctime stay. Its size is fixed.
final class DigestCache: Sendable {
  /// Which file, and as it was when it was read.
  private struct Entry {
    var device: UInt64
    var inode: UInt64
    var size: UInt64
    var modified: Timestamp
    var changed: Timestamp
    var digest: MD5Digest

    func isOf(_ status: FileStatus) -> Bool {
      device == status.device && inode == status.inode
    }

    func holds(for status: FileStatus) -> Bool {
      isOf(status) && size == status.size && modified == status.modified && changed == status.changed
    }
  }

  /// Entries in sets of four, in which a file has its place by its device and inode.
  private struct State {
    var entries: [Entry?]
    /// For each set, how often a file of it was forgotten.
    var epochs: [UInt32]
    /// For each set, which entry the next one replaces.
    var oldest: [UInt8]
  }

  private static let ways = 4
  private let setCount: Int
  private let state: Mutex<State>

  init(capacity: Int) {
    setCount = max(1, capacity / Self.ways)
    state = Mutex(
      State(
        entries: Array(repeating: nil, count: setCount * Self.ways), epochs: Array(repeating: 0, count: setCount),
        oldest: Array(repeating: 0, count: setCount)))
  }

  private func set(_ device: UInt64, _ inode: UInt64) -> Int {
    // Fibonacci hashing: inode numbers are dense.
    let mixed = (inode ^ device &* 0xff51_afd7_ed55_8ccd) &* 0x9e37_79b9_7f4a_7c15
    return Int((mixed >> 32) % UInt64(setCount))
  }

  /// The digest of a file that is as `status` has it, nil where it is not known.
  func digest(for status: FileStatus) -> MD5Digest? {
    let first = set(status.device, status.inode) * Self.ways
    return state.withLock { state in
      for index in first..<first + Self.ways {
        if let entry = state.entries[index], entry.holds(for: status) { return entry.digest }
      }
      return nil
    }
  }

  /// What `remember` wants to see again: it changes when the file is forgotten meanwhile.
  func epoch(of status: FileStatus) -> UInt32 {
    let set = set(status.device, status.inode)
    return state.withLock { $0.epochs[set] }
  }

  /// Remembers the digest of a file that was as `status` has it when its reading began, at `epoch`.
  func remember(_ digest: MD5Digest, for status: FileStatus, epoch: UInt32) {
    let set = set(status.device, status.inode)
    let entry = Entry(
      device: status.device, inode: status.inode, size: status.size, modified: status.modified,
      changed: status.changed, digest: digest)
    state.withLock { state in
      guard state.epochs[set] == epoch else { return }
      let ways = set * Self.ways..<(set + 1) * Self.ways
      let same = ways.first { state.entries[$0]?.isOf(status) ?? false }
      if let place = same ?? ways.first(where: { state.entries[$0] == nil }) {
        state.entries[place] = entry
      } else {
        state.entries[ways.lowerBound + Int(state.oldest[set])] = entry
        state.oldest[set] = (state.oldest[set] + 1) % UInt8(Self.ways)
      }
    }
  }

  /// Forgets a file, and what is being read of it.
  func forget(device: UInt64, inode: UInt64) {
    let set = set(device, inode)
    state.withLock { state in
      state.epochs[set] &+= 1
      for index in set * Self.ways..<(set + 1) * Self.ways {
        if let entry = state.entries[index], entry.device == device, entry.inode == inode {
          state.entries[index] = nil
        }
      }
    }
  }

  /// Keeps what was known for `before` under the ctime of `after`, if nothing else is different.
  func move(from before: FileStatus, to after: FileStatus) {
    guard before.size == after.size, before.modified == after.modified else { return }
    let first = set(before.device, before.inode) * Self.ways
    state.withLock { state in
      for index in first..<first + Self.ways where state.entries[index]?.holds(for: before) ?? false {
        state.entries[index]?.changed = after.changed
      }
    }
  }
}
