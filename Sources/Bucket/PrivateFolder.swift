internal import SystemCalls

/// `.bucketfs` in the bucket's root, with the lock file and the overflow files: made when first needed, and opened anew
/// when somebody took it away.
///
/// Whoever may write in the root folder may write here, since else two users of one bucket could not lock each other
/// out of an object; nobody else may so much as look.
final class PrivateFolder: Sendable {
  /// Its name.
  static let name: StaticString = ".bucketfs"
  /// The name of the lock file in it.
  static let lockName: StaticString = "lock"

  /// An open file that threads share: closed when the last one is done with it.
  final class SharedFile: Sendable {
    private let owner: OwnedDescriptor

    init(_ owner: consuming OwnedDescriptor) {
      self.owner = owner
    }

    var descriptor: Descriptor { owner.descriptor }
  }

  /// What is open already.
  private struct OpenFiles {
    var directory: SharedFile?
    var lock: SharedFile?
  }

  /// Borrowed from the store, which outlives this.
  private let root: Descriptor
  /// Never held over a system call.
  private let open = Mutex(OpenFiles())

  init(root: Descriptor) {
    self.root = root
  }

  /// The folder, made if it is not there and `make` says so; nil if it is not there.
  func directory(make: Bool) throws(Errno) -> SharedFile? {
    if let directory = open.withLock({ $0.directory }) { return directory }
    let owner: OwnedDescriptor
    do throws(Errno) {
      owner = try System.open(Self.name.bytes, in: root, [.readOnly, .directory, .noFollow])
    } catch .noSuchFileOrDirectory {
      guard make else { return nil }
      do throws(Errno) {
        try System.makeDirectory(Self.name.bytes, in: root, mode: 0o700)
      } catch .fileExists {}
      owner = try System.open(Self.name.bytes, in: root, [.readOnly, .directory, .noFollow])
    }
    if make { try admitWriters(owner.descriptor, each: 0o7) }
    let shared = SharedFile(owner)
    open.withLock { $0.directory = shared }
    return shared
  }

  /// The lock file, made if it is not there, the folder with it.
  func lockFile() throws(Errno) -> SharedFile {
    if let lock = open.withLock({ $0.lock }) { return lock }
    guard let directory = try directory(make: true) else { throw .noSuchFileOrDirectory }
    let owner = try openLock(in: directory.descriptor)
    guard try System.status(of: owner.descriptor).isRegular else { throw .ioError }
    try admitWriters(owner.descriptor, each: 0o6)
    let shared = SharedFile(owner)
    open.withLock { $0.lock = shared }
    return shared
  }

  private func openLock(in directory: Descriptor) throws(Errno) -> OwnedDescriptor {
    // Not with O_CREAT alone: in a sticky folder the kernel refuses that for another user's file.
    let flags: OpenFlags = [.readWrite, .noFollow, .nonBlocking]
    while true {
      do throws(Errno) {
        return try System.open(Self.lockName.bytes, in: directory, flags)
      } catch .noSuchFileOrDirectory {
        do throws(Errno) {
          return try System.open(
            Self.lockName.bytes, in: directory, flags.union([.create, .exclusive]), mode: 0o600)
        } catch .fileExists {
          // Another process was faster.
        } catch .noSuchFileOrDirectory {
          forget()
          throw .noSuchFileOrDirectory
        }
      }
    }
  }

  /// Opens everything anew at the next use, since the folder was moved or removed.
  func forget() {
    open.withLock { $0 = OpenFiles() }
  }

  /// Gives each class that may write in the root folder the rights `each` to a file of ours, and root's file to the
  /// root folder's owner and group; where it is so already, or the file is another user's, nothing.
  func admitWriters(_ file: Descriptor, each rights: UInt32) throws(Errno) {
    let bucket = try System.status(of: root)
    let status = try System.status(of: file)
    let user = System.effectiveUser
    guard user == 0 || user == status.owner else { return }
    if user == 0, (status.owner, status.group) != (bucket.owner, bucket.group) {
      try System.changeOwner(of: file, owner: bucket.owner, group: bucket.group)
    }
    var mode = rights << 6
    if bucket.mode & 0o020 != 0 { mode |= rights << 3 }
    if bucket.mode & 0o002 != 0 { mode |= rights }
    if status.isDirectory { mode |= bucket.mode & 0o1000 }
    if status.mode & mode != mode { try System.changeMode(of: file, to: status.mode & 0o7777 | mode) }
  }
}
