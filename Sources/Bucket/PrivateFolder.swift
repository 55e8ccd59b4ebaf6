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
    guard let place = try find(make: make) else { return nil }
    let shared = SharedFile(try System.reopen(place.descriptor, [.readOnly, .directory]))
    open.withLock { $0.directory = shared }
    return shared
  }

  private func find(make: Bool) throws(Errno) -> SharedFile? {
    let flags: OpenFlags = [.path, .directory, .noFollow]
    do throws(Errno) {
      return SharedFile(try System.open(Self.name.bytes, in: root, flags))
    } catch .noSuchFileOrDirectory {
      guard make else { return nil }
    }
    do throws(Errno) {
      try System.makeDirectory(Self.name.bytes, in: root, mode: 0o700)
    } catch .fileExists {
      // Another process was faster.
      return SharedFile(try System.open(Self.name.bytes, in: root, flags))
    }
    let made = SharedFile(try System.open(Self.name.bytes, in: root, flags))
    try admitWriters(made.descriptor, each: 0o7)
    // What will be in it is made durable there; that is no use if the folder itself is lost.
    let opened = try System.reopen(root, [.readOnly, .directory])
    try System.synchronize(opened.descriptor)
    return made
  }

  /// The lock file, made if it is not there, the folder with it.
  func lockFile() throws(Errno) -> SharedFile {
    if let lock = open.withLock({ $0.lock }) { return lock }
    guard let directory = try directory(make: true) else { throw .noSuchFileOrDirectory }
    let shared = try openLock(in: directory.descriptor)
    guard try System.status(of: shared.descriptor).isRegular else { throw .ioError }
    open.withLock { $0.lock = shared }
    return shared
  }

  private func openLock(in directory: Descriptor) throws(Errno) -> SharedFile {
    // Not with O_CREAT alone: in a sticky folder the kernel refuses that for another user's file.
    let flags: OpenFlags = [.readWrite, .noFollow, .nonBlocking]
    while true {
      do throws(Errno) {
        return SharedFile(try System.open(Self.lockName.bytes, in: directory, flags))
      } catch {
        guard error == .noSuchFileOrDirectory else { throw error }
      }
      do throws(Errno) {
        let exclusively = flags.union([.create, .exclusive])
        let made = SharedFile(try System.open(Self.lockName.bytes, in: directory, exclusively, mode: 0o600))
        try admitWriters(made.descriptor, each: 0o6)
        return made
      } catch {
        // Another process was faster; or the folder was removed while it was open.
        if error == .noSuchFileOrDirectory { forget() }
        guard error == .fileExists else { throw error }
      }
    }
  }

  /// Opens everything anew at the next use, since the folder was moved or removed.
  func forget() {
    open.withLock { $0 = OpenFiles() }
  }

  /// Gives each class, and each entry of an ACL, that may write in the root folder the rights `each` to a file that was
  /// just made, and root's file to the root folder's owner and group.
  ///
  /// Never to one that was found here: whoever owns the bucket may have put somebody else's file in its place, to be
  /// given what is not his.
  func admitWriters(_ file: Descriptor, each rights: UInt32) throws(Errno) {
    let bucket = try System.status(of: root)
    if System.effectiveUser == 0 {
      try System.changeOwner(of: file, owner: bucket.owner, group: bucket.group)
    }
    let isFolder = try System.status(of: file).isDirectory
    let list = try accessList()
    // What the root folder passes on to new files need not be what it grants itself.
    if isFolder { try removeList(AccessList.inherited, of: file) }
    if list == nil { try removeList(AccessList.attribute, of: file) }
    var mode = rights << 6
    // With an ACL the group's bits are the limit of all its entries.
    if list == nil, bucket.mode & 0o020 != 0 { mode |= rights << 3 }
    if bucket.mode & 0o002 != 0 { mode |= rights }
    if isFolder { mode |= bucket.mode & 0o1000 }
    try System.changeMode(of: file, to: mode)
    if let list {
      let derived = list.admittingWriters(each: UInt8(rights))
      try System.setXattr(AccessList.attribute.bytes, of: file, to: derived.span)
    }
  }

  /// The root folder's ACL, nil where its mode says all.
  private func accessList() throws(Errno) -> AccessList? {
    var buffer = ByteBuffer(capacity: 65536)
    do throws(Errno) {
      try buffer.fill { memory throws(Errno) in
        try System.getXattrIfSet(AccessList.attribute.bytes, of: root, into: memory) ?? 0
      }
    } catch .notSupported {
      return nil
    }
    return AccessList(buffer.span.array)
  }

  private func removeList(_ attribute: StaticString, of file: Descriptor) throws(Errno) {
    do throws(Errno) {
      try System.removeXattr(attribute.bytes, of: file)
    } catch {
      // The filesystem has none, or the file has not.
      guard error == .notSupported || error == .noData else { throw error }
    }
  }
}
