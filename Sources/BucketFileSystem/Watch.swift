internal import Bucket
package import SystemCalls

/// A watch on the filesystems below the backing directory, which tells of changes made behind the mount's back.
///
/// What the kernel remembers may then be trusted as long as the person who mounts wishes: it is told to forget what
/// somebody else changes. Needs CAP_SYS_ADMIN to begin, and CAP_DAC_READ_SEARCH for as long as it goes on, on the thread
/// that calls `follow`.
package final class Watch: Sendable {
  /// A filesystem below the backing directory.
  struct Place: Sendable {
    /// How events name it.
    let fileSystem: UInt64
    let device: UInt64
    /// Where it is mounted; empty for the backing directory's own.
    let mountpoint: [UInt8]
  }

  // Configuration.
  let events: OwnedDescriptor
  let stopping: OwnedDescriptor
  /// The table of mounts, kept open: it tells when it changes.
  let mounts: OwnedDescriptor
  /// The backing directory, opened for more than its path: else no handle could be opened on it.
  let root: OwnedDescriptor
  let rootDevice: UInt64
  /// Who makes the daemon's own changes.
  let process = System.processIdentifier
  /// Where filesystems are mounted below the backing directory, read from the table of mounts.
  private let mountpoints: @Sendable ([UInt8]) -> [[UInt8]]

  // Mutable state with its own lock.
  private let state = Mutex<[Place]>([])
  private let isFollowed = Mutex(false)

  /// Begins to watch. Throws where the kernel, the filesystem or the process's rights do not allow it.
  ///
  /// - Parameters:
  ///   - directory: the backing directory.
  ///   - mountpoints: picks from the content of /proc/self/mountinfo the places below the backing directory.
  package init(
    _ directory: Descriptor, mountpoints: @escaping @Sendable ([UInt8]) -> [[UInt8]]
  ) throws(Errno) {
    events = try System.openWatch()
    stopping = try System.makeEvent()
    mounts = try System.open(("/proc/self/mountinfo" as StaticString).bytes, in: .workingDirectory, [.readOnly])
    root = try System.reopen(directory, [.readOnly, .directory])
    self.mountpoints = mountpoints
    let status = try System.status(of: directory)
    rootDevice = status.device
    try System.watch(events.descriptor, fileSystemOf: root.descriptor)
    // A filesystem may tell of files by handles that it does not open again, such as overlay.
    let handle = try System.handle(of: root.descriptor)
    let again = try System.open(handle: handle.span, onFileSystemOf: root.descriptor)
    guard try System.status(of: again.descriptor).inode == status.inode else { throw .notSupported }
    let place = Place(
      fileSystem: try System.fileSystemNumber(of: root.descriptor), device: status.device, mountpoint: [])
    state.withLock { $0 = [place] }
    _ = lookForMounts()
  }

  /// Whether changes on the device are seen.
  func covers(_ device: UInt64) -> Bool {
    device == rootDevice || state.withLock { places in places.contains { $0.device == device } }
  }

  /// The filesystems that are watched.
  func place(of fileSystem: UInt64) -> Place? {
    state.withLock { places in places.first { $0.fileSystem == fileSystem } }
  }

  /// Watches what is mounted below the backing directory now. Returns whether that is other than before.
  func lookForMounts() -> Bool {
    guard let table = try? System.readAgain(mounts.descriptor) else { return true }
    let before = state.withLock { $0 }
    var places = [before[0]]
    for mountpoint in mountpoints(table) {
      // One that cannot be watched is not trusted longer than without a watch.
      guard let folder = try? System.open(mountpoint.span, in: .workingDirectory, [.readOnly, .directory]),
        let status = try? System.status(of: folder.descriptor), status.device != rootDevice,
        (try? System.watch(events.descriptor, fileSystemOf: folder.descriptor)) != nil,
        let number = try? System.fileSystemNumber(of: folder.descriptor)
      else { continue }
      places.append(Place(fileSystem: number, device: status.device, mountpoint: mountpoint))
    }
    state.withLock { $0 = places }
    return places.map(\.mountpoint) != before.map(\.mountpoint) || places.map(\.device) != before.map(\.device)
  }

  /// Follows the watch on a thread of its own until `stop`.
  package func start(_ fileSystem: BucketFileSystem) throws(Errno) {
    isFollowed.withLock { $0 = true }
    do throws(Errno) {
      try System.startThread {
        WatchFollower(watch: self, fileSystem: fileSystem).run()
        self.isFollowed.withLock { $0 = false }
      }
    } catch {
      isFollowed.withLock { $0 = false }
      throw error
    }
  }

  /// Ends the thread and waits for it. The session must be over, so that nothing that it asks of the kernel waits.
  package func stop() {
    System.wake(stopping.descriptor)
    while isFollowed.withLock({ $0 }) { System.sleep(nanoseconds: 1_000_000) }
  }
}
