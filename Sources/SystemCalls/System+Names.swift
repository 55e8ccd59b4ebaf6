internal import CLinux
internal import Glibc

/// How a file is opened: the flags of open(2).
package struct OpenFlags: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let readOnly = OpenFlags(rawValue: O_RDONLY)
  package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  package static let append = OpenFlags(rawValue: O_APPEND)
  package static let create = OpenFlags(rawValue: O_CREAT)
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  package static let closeOnExec = OpenFlags(rawValue: O_CLOEXEC)
  /// O_DIRECT, whose value differs between architectures.
  package static let direct = OpenFlags(rawValue: clinux_o_direct)
  package static let noAccessTime = OpenFlags(rawValue: clinux_o_noatime)
  /// Only the place in the tree, no access to the content.
  package static let path = OpenFlags(rawValue: clinux_o_path)

  /// The two bits that say whether a file is read, written or both.
  package var accessMode: Int32 { rawValue & O_ACCMODE }
  package var isWritable: Bool { accessMode != O_RDONLY }
}

/// What a rename does with a file at its target: the flags of renameat2(2).
package struct RenameFlags: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let noReplace = RenameFlags(rawValue: 1)
  package static let exchange = RenameFlags(rawValue: 2)
  package static let whiteout = RenameFlags(rawValue: 4)
}

/// The calls that make, find, move and remove names.
extension System {
  /// openat(2). `mode` counts only with O_CREAT. Always close-on-exec.
  package static func open(
    _ name: Span<UInt8>, in directory: Descriptor, _ flags: OpenFlags, mode: UInt32 = 0
  ) throws(Errno) -> OwnedDescriptor {
    let number = try withCString(name) { path throws(Errno) in
      try call(.open) { clinux_openat(directory.rawValue, path, flags.rawValue | O_CLOEXEC, mode) }
    }
    return OwnedDescriptor(owning: Descriptor(rawValue: number))
  }

  /// openat2(2) of a path of several names below `directory`, following no symlink: one among them gives ELOOP, but the
  /// last one may be opened itself with O_PATH and O_NOFOLLOW. A path that leads out of `directory` gives EXDEV.
  package static func open(
    path: Span<UInt8>, beneath directory: Descriptor, _ flags: OpenFlags
  ) throws(Errno) -> OwnedDescriptor {
    let number = try withCString(path) { path throws(Errno) in
      try call(.open) { clinux_open_beneath(directory.rawValue, path, flags.rawValue | O_CLOEXEC) }
    }
    return OwnedDescriptor(owning: Descriptor(rawValue: number))
  }

  /// faccessat(2): throws where the process, with its effective identity, may not write to the file.
  package static func checkWritable(_ file: Descriptor) throws(Errno) {
    try withProcPath(file) { path throws(Errno) in
      _ = try call(.access) { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) }
    }
  }

  /// Opens the file behind a descriptor once more, through /proc: with other flags, also after it was unlinked.
  ///
  /// Follows the link that /proc keeps, never one of the backing tree; a symlink opened with O_PATH gives ELOOP.
  package static func reopen(_ descriptor: Descriptor, _ flags: OpenFlags) throws(Errno) -> OwnedDescriptor {
    let number = try withProcPath(descriptor) { path throws(Errno) in
      try call(.open) { clinux_openat(AT_FDCWD, path, flags.rawValue | O_CLOEXEC, 0) }
    }
    return OwnedDescriptor(owning: Descriptor(rawValue: number))
  }

  /// Takes O_DIRECT off an open file by fcntl(2) F_SETFL: from here on its reads and writes need no alignment.
  package static func stopDirect(_ descriptor: Descriptor) throws(Errno) {
    let flags = try call(.open) { clinux_fcntl_int(descriptor.rawValue, F_GETFL, 0) }
    _ = try call(.open) { clinux_fcntl_int(descriptor.rawValue, F_SETFL, flags & ~clinux_o_direct) }
  }

  /// close(2), whose errors nobody can act upon: the number is free whatever it says.
  package static func close(_ descriptor: Descriptor) {
    _ = Glibc.close(descriptor.rawValue)
  }

  /// dup(2), which is what FLUSH asks of a backing file: closing the duplicate reports pending errors.
  package static func flush(_ descriptor: Descriptor) throws(Errno) {
    let number = try call(.close) { clinux_fcntl_int(descriptor.rawValue, F_DUPFD_CLOEXEC, 0) }
    if Glibc.close(number) != 0 {
      let reason = Errno.current
      if reason != .interrupted { throw reason }
    }
  }

  /// dup of a descriptor, close-on-exec.
  package static func duplicate(_ descriptor: Descriptor) throws(Errno) -> OwnedDescriptor {
    let number = try call(.open) { clinux_fcntl_int(descriptor.rawValue, F_DUPFD_CLOEXEC, 0) }
    return OwnedDescriptor(owning: Descriptor(rawValue: number))
  }

  /// mkdirat(2).
  package static func makeDirectory(
    _ name: Span<UInt8>, in directory: Descriptor, mode: UInt32
  ) throws(Errno) {
    try withCString(name) { path throws(Errno) in
      _ = try call(.mkdir) { mkdirat(directory.rawValue, path, mode) }
    }
  }

  /// mknodat(2), for regular files, FIFOs and sockets.
  package static func makeNode(
    _ name: Span<UInt8>, in directory: Descriptor, mode: UInt32
  ) throws(Errno) {
    try withCString(name) { path throws(Errno) in
      _ = try call(.mknod) { mknodat(directory.rawValue, path, mode, 0) }
    }
  }

  /// symlinkat(2): makes `name`, which points to `target`.
  package static func makeSymbolicLink(
    _ name: Span<UInt8>, in directory: Descriptor, target: Span<UInt8>
  ) throws(Errno) {
    try withCString(target) { destination throws(Errno) in
      try withCString(name) { path throws(Errno) in
        _ = try call(.symlink) { symlinkat(destination, directory.rawValue, path) }
      }
    }
  }

  /// Gives an open file another name; the file may have been opened with O_PATH and may be a symlink itself.
  ///
  /// AT_EMPTY_PATH needs CAP_DAC_READ_SEARCH; whoever lacks it is led through /proc, which cannot link symlinks.
  package static func link(
    _ file: Descriptor, to name: Span<UInt8>, in directory: Descriptor
  ) throws(Errno) {
    try withCString(name) { path throws(Errno) in
      do throws(Errno) {
        var empty: CChar = 0
        _ = try call(.link) { linkat(file.rawValue, &empty, directory.rawValue, path, 0x1000 /* AT_EMPTY_PATH */) }
      } catch .noSuchFileOrDirectory {
        try withProcPath(file) { source throws(Errno) in
          _ = try call(.link) { linkat(AT_FDCWD, source, directory.rawValue, path, AT_SYMLINK_FOLLOW) }
        }
      }
    }
  }

  /// renameat2(2).
  package static func rename(
    _ from: Span<UInt8>, in fromDirectory: Descriptor,
    to: Span<UInt8>, in toDirectory: Descriptor, _ flags: RenameFlags = []
  ) throws(Errno) {
    try withCString(from) { source throws(Errno) in
      try withCString(to) { target throws(Errno) in
        _ = try call(.rename) {
          clinux_renameat2(fromDirectory.rawValue, source, toDirectory.rawValue, target, flags.rawValue)
        }
      }
    }
  }

  /// unlinkat(2) of a file.
  package static func unlink(_ name: Span<UInt8>, in directory: Descriptor) throws(Errno) {
    try withCString(name) { path throws(Errno) in
      _ = try call(.unlink) { unlinkat(directory.rawValue, path, 0) }
    }
  }

  /// unlinkat(2) of an empty directory.
  package static func removeDirectory(_ name: Span<UInt8>, in directory: Descriptor) throws(Errno) {
    try withCString(name) { path throws(Errno) in
      _ = try call(.unlink) { unlinkat(directory.rawValue, path, AT_REMOVEDIR) }
    }
  }

  /// readlinkat(2) of a symlink that was opened with O_PATH. Returns the length; a target that fills the whole buffer
  /// may have been cut.
  package static func readLink(
    _ link: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    var empty: CChar = 0
    return try call(.readlink) {
      readlinkat(link.rawValue, &empty, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
    }
  }

  /// The path that the kernel knows for an open file: where it was opened, followed through renames.
  ///
  /// Not the truth: it ends in " (deleted)" when that one name is gone, though others may exist, and is ENAMETOOLONG
  /// beyond a page. Returns the length written.
  package static func currentPath(
    of descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try withProcPath(descriptor) { path throws(Errno) in
      try call(.readlink) {
        readlink(path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
      }
    }
  }

  /// realpath(3): the absolute path without symlinks; nil where it leads to nothing.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// realpath(3) of bytes.
  package static func realPath(_ path: Span<UInt8>) throws(Errno) -> [UInt8] {
    try withCString(path) { path throws(Errno) in
      guard let real = realpath(path, nil) else { throw .current }
      defer { free(real) }
      return Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
    }
  }

  /// Looks at a path in a way that no cache answers. ENOTCONN at a mount whose daemon has died, of which the attributes
  /// may still be remembered.
  package static func ask(_ path: String) throws(Errno) {
    _ = try status(of: Array(path.utf8).span, in: .workingDirectory)
    do throws(Errno) {
      _ = try call(.getxattr) { getxattr(path, "user.bucket", nil, 0) }
    } catch {
      if error == .notConnected { throw error }
    }
  }

  /// The content of a file such as /proc has, which does not tell its size.
  package static func readWholeFile(_ path: String) throws(Errno) -> [UInt8] {
    try readWholeFile(Array(path.utf8))
  }

  /// The content of the file at a path of bytes, to its end.
  package static func readWholeFile(_ path: [UInt8]) throws(Errno) -> [UInt8] {
    let file = try open(path.span, in: .workingDirectory, [.readOnly])
    var bytes: [UInt8] = []
    var buffer = ByteBuffer(capacity: 1 << 16)
    while try buffer.fill({ memory throws(Errno) in try readNext(file.descriptor, into: memory) }) > 0 {
      buffer.span.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Whether the filesystem of `folder` has POSIX ACLs.
  package static func keepsACLs(_ folder: Descriptor) -> Bool {
    do throws(Errno) {
      let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      _ = try getXattr(("system.posix_acl_access" as StaticString).bytes, of: folder, into: none)
      return true
    } catch {
      return error == .noData
    }
  }
}
