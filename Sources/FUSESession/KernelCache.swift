internal import BucketFileSystem
internal import CFuse
internal import Synchronization

/// What the kernel remembers of the mount, where the daemon knows better.
///
/// Not to be told while the request that led there waits for its answer: the kernel holds the folder's lock for it.
final class KernelCache: Sendable {
  private let session = Atomic<UInt>(0)

  /// From now on the kernel can be told.
  func start(_ session: OpaquePointer) {
    self.session.store(UInt(bitPattern: session), ordering: .releasing)
  }

  /// Makes the kernel look a name up again before it next uses it.
  func expire(_ name: StaleName) {
    guard let session = OpaquePointer(bitPattern: session.load(ordering: .acquiring)) else { return }
    name.name.withUnsafeBytes { bytes in
      // What the kernel has forgotten meanwhile needs no telling.
      _ = cfuse_expire_entry(
        session, name.parent.rawValue, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
