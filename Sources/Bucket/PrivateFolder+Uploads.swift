internal import SystemCalls

/// `tmp` in `.bucketfs`: contents that are not objects yet.
extension PrivateFolder {
  /// Its name.
  static var uploadsName: StaticString { "tmp" }

  /// Opens the folder, made if it is not there.
  func uploads() throws(Errno) -> SharedFile {
    do throws(Errno) {
      return try uploadsOnce()
    } catch .noSuchFileOrDirectory {
      // The folder that we have open may be one that was moved away.
      forget()
      return try uploadsOnce()
    }
  }

  private func uploadsOnce() throws(Errno) -> SharedFile {
    guard let folder = try directory(make: true) else { throw .noSuchFileOrDirectory }
    let flags: OpenFlags = [.readOnly, .directory, .noFollow]
    let name = Self.uploadsName.bytes
    do throws(Errno) {
      return SharedFile(try System.open(name, in: folder.descriptor, flags))
    } catch .noSuchFileOrDirectory {
      do throws(Errno) {
        try System.makeDirectory(name, in: folder.descriptor, mode: 0o700)
      } catch .fileExists {}
    }
    let made = try System.open(name, in: folder.descriptor, flags)
    try admitWriters(made.descriptor, each: 0o7)
    // What is made here is to get no ACL but that of the place where it goes.
    try? System.removeXattr(("system.posix_acl_default" as StaticString).bytes, of: made.descriptor)
    return SharedFile(made)
  }
}
