package import BucketFileSystem
internal import CFuse
internal import Glibc
internal import Synchronization
internal import SystemCalls

/// What the session tells the kernel without being asked: what of its memory is no longer right.
///
/// Source: the `fuse_lowlevel_notify_…` functions of fuse_lowlevel.h, and linux/fuse.h for the one that they lack.
package final class SessionNotices: Sendable {
  /// FUSE_NOTIFY_INC_EPOCH, since Linux 6.16: no name that was told before may be trusted.
  private static let newEpoch: Int32 = 8

  private let session = Atomic<UInt>(0)
  private let attributes = Atomic<UInt64>(0)
  private let names = Atomic<UInt64>(0)

  package init() {}

  /// For the file system.
  package var cache: KernelCache {
    KernelCache(
      forgetAttributes: { self.forgetAttributes(of: $0) },
      forgetName: { self.forgetName($1, in: $0, isGone: $2) },
      forgetAllNames: { self.forgetAllNames() })
  }

  /// How often the kernel was told to forget a file's attributes, and a name.
  var counts: (attributes: UInt64, names: UInt64) {
    (attributes.load(ordering: .relaxed), names.load(ordering: .relaxed))
  }

  /// From now on the kernel can be told, until nobody uses the session any more.
  func start(_ session: OpaquePointer) {
    self.session.store(UInt(bitPattern: session), ordering: .releasing)
  }

  private var current: OpaquePointer? {
    OpaquePointer(bitPattern: session.load(ordering: .acquiring))
  }

  private func forgetAttributes(of node: NodeID) -> Bool {
    guard let current else { return false }
    attributes.wrappingAdd(1, ordering: .relaxed)
    // A negative offset leaves the content: the kernel drops that itself where size or time turn out to be others.
    return fuse_lowlevel_notify_inval_inode(current, node.rawValue, -1, 0) == 0
  }

  private func forgetName(_ name: Span<UInt8>, in folder: NodeID, isGone: Bool) -> Bool {
    guard let current else { return false }
    names.wrappingAdd(1, ordering: .relaxed)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { copy in
      for position in name.indices { copy[position] = CChar(bitPattern: name[position]) }
      copy[name.count] = 0
      if !isGone {
        let result = fuse_lowlevel_notify_expire_entry(
          current, folder.rawValue, copy.baseAddress, name.count, FUSE_LL_EXPIRE_ONLY)
        if result != -ENOSYS { return result == 0 }
      }
      return fuse_lowlevel_notify_inval_entry(current, folder.rawValue, copy.baseAddress, name.count) == 0
    }
  }

  private func forgetAllNames() -> Bool {
    guard let current else { return false }
    names.wrappingAdd(1, ordering: .relaxed)
    // struct fuse_out_header: length, the notice's number, and 0 for no request.
    var header = (UInt32(16), Self.newEpoch, UInt64(0))
    return withUnsafeBytes(of: &header) { write(fuse_session_fd(current), $0.baseAddress, 16) == 16 }
  }
}
