internal import CLinux
internal import Glibc

/// Where lseek(2) counts from.
package enum SeekOrigin: Int32, Sendable {
  case start = 0
  /// SEEK_DATA
  case data = 3
  /// SEEK_HOLE
  case hole = 4
}

/// What statvfs(2) tells of a filesystem, in its words.
package struct FileSystemStatus: Sendable {
  package var blockSize: UInt
  package var fragmentSize: UInt
  package var blocks: UInt
  package var freeBlocks: UInt
  package var availableBlocks: UInt
  package var files: UInt
  package var freeFiles: UInt
  package var availableFiles: UInt
  /// Bytes of the longest file name.
  package var maximumNameLength: UInt
  /// ST_RDONLY and its like.
  package var flags: UInt
}

/// The calls on a file's content and on a directory's entries.
extension System {
  /// pread(2). Returns the bytes read, 0 at the end.
  package static func read(
    _ file: Descriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try call(.read) { pread(file.rawValue, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// pwrite(2). Returns the bytes written.
  package static func write(
    _ file: Descriptor, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    try call(.write) { pwrite(file.rawValue, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// write(2) at the descriptor's own position, repeated until all bytes are written.
  package static func writeAll(_ file: Descriptor, _ bytes: Span<UInt8>) throws(Errno) {
    try bytes.withUnsafeBytes { buffer throws(Errno) in
      var rest = buffer[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = try call(.write) { Glibc.write(file.rawValue, part.baseAddress, part.count) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// fsync(2), or fdatasync(2) for the content alone.
  package static func synchronize(_ file: Descriptor, dataOnly: Bool = false) throws(Errno) {
    _ = try call(dataOnly ? .fdatasync : .fsync) {
      dataOnly ? fdatasync(file.rawValue) : fsync(file.rawValue)
    }
  }

  /// fallocate(2).
  package static func allocate(
    _ file: Descriptor, mode: Int32, offset: Int64, length: Int64
  ) throws(Errno) {
    _ = try call(.fallocate) { clinux_fallocate(file.rawValue, mode, off_t(offset), off_t(length)) }
  }

  /// lseek(2). Returns the position.
  @discardableResult
  package static func seek(_ file: Descriptor, to offset: Int64, from origin: SeekOrigin) throws(Errno) -> Int64 {
    Int64(try call(.seek) { lseek(file.rawValue, off_t(offset), origin.rawValue) })
  }

  /// copy_file_range(2). Returns the bytes copied.
  package static func copyRange(
    from: Descriptor, at fromOffset: Int64, to: Descriptor, at toOffset: Int64, length: Int, flags: UInt32
  ) throws(Errno) -> Int {
    var source = off_t(fromOffset)
    var target = off_t(toOffset)
    return try call(.copyFileRange) {
      clinux_copy_file_range(from.rawValue, &source, to.rawValue, &target, length, flags)
    }
  }

  /// getdents64(2): fills the buffer with `linux_dirent64` records. Returns their total length, 0 at the end.
  package static func readDirectory(
    _ directory: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try call(.getdents) { clinux_getdents64(directory.rawValue, buffer.baseAddress, buffer.count) }
  }

  /// fstatvfs(2).
  package static func fileSystemStatus(of file: Descriptor) throws(Errno) -> FileSystemStatus {
    var status = statvfs()
    _ = try call(.statfs) { fstatvfs(file.rawValue, &status) }
    return FileSystemStatus(
      blockSize: status.f_bsize, fragmentSize: status.f_frsize, blocks: status.f_blocks,
      freeBlocks: status.f_bfree, availableBlocks: status.f_bavail, files: status.f_files,
      freeFiles: status.f_ffree, availableFiles: status.f_favail, maximumNameLength: status.f_namemax,
      flags: status.f_flag)
  }

  /// The `f_type` of XFS.
  package static let xfs = 0x5846_5342
  /// The `f_type` of ext4, XFS, Btrfs and tmpfs.
  package static let localFileSystems = [0xef53, xfs, 0x9123_683e, 0x0102_1994]

  /// The magic number of a file's filesystem, as statfs(2) has it in `f_type`.
  package static func fileSystemType(of file: Descriptor) throws(Errno) -> Int {
    var status = statfs()
    _ = try call(.statfs) { fstatfs(file.rawValue, &status) }
    return Int(status.f_type)
  }
}
