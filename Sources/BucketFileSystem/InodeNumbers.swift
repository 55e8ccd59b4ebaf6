internal import SystemCalls

/// The inode numbers that the mount shows: the backing filesystem's own on the root's device; on others, which may use
/// the same numbers again, numbers of their own that stay while the mount lives.
final class InodeNumbers: Sendable {
  private struct State {
    var deviceIndices: [UInt64: UInt64] = [:]
    /// Numbers of inodes that do not fit beside a device's index, counted down from the top.
    var odd: [InodeKey: UInt64] = [:]
  }

  private let rootDevice: UInt64
  private let state = Mutex(State())

  init(rootDevice: UInt64) {
    self.rootDevice = rootDevice
  }

  /// The number shown for a file: the top bit, 15 bits for the device, 48 for the inode.
  func shown(_ inode: UInt64, on device: UInt64) -> UInt64 {
    if device == rootDevice { return inode }
    return state.withLock { state in
      let index = state.deviceIndices[device] ?? UInt64(state.deviceIndices.count)
      state.deviceIndices[device] = index
      if inode < 1 << 48, index < 0x7fff { return 1 << 63 | index << 48 | inode }
      let key = InodeKey(device: device, inode: inode)
      let number = state.odd[key] ?? UInt64.max - UInt64(state.odd.count)
      state.odd[key] = number
      return number
    }
  }

  /// `status` with the number shown.
  func shown(_ status: FileStatus) -> FileStatus {
    if status.device == rootDevice { return status }
    var shown = status
    shown.inode = self.shown(status.inode, on: status.device)
    return shown
  }
}
