internal import BucketFileSystem
internal import CFuse
internal import CLinux
internal import Glibc
internal import SystemCalls

// Conversions between the file system's types and libfuse's.

extension stat {
  /// A file's status as libfuse wants it.
  init(_ status: FileStatus) {
    self.init()
    st_dev = dev_t(status.device)
    st_ino = ino_t(status.inode)
    st_mode = mode_t(status.mode)
    st_nlink = nlink_t(status.linkCount)
    st_uid = status.owner
    st_gid = status.group
    st_rdev = dev_t(status.specialDevice)
    st_size = off_t(status.size)
    st_blksize = blksize_t(status.blockSize)
    st_blocks = blkcnt_t(status.blocks)
    st_atim = timespec(status.accessed)
    st_mtim = timespec(status.modified)
    st_ctim = timespec(status.changed)
  }
}

extension timespec {
  init(_ time: Timestamp) {
    self.init(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
  }
}

extension fuse_entry_param {
  init(_ entry: Entry) {
    self.init()
    ino = entry.node.rawValue
    generation = 1
    attr = stat(entry.status)
    attr_timeout = entry.attributeTimeout
    entry_timeout = entry.entryTimeout
  }
}

extension fuse_file_info {
  /// Fills in the answer to an open.
  mutating func adopt(_ file: OpenedFile) {
    fh = file.handle
    noflush = file.needsNoFlush ? 1 : 0
    if file.backing != 0 { cfuse_set_backing(&self, file.backing) }
  }
}

extension fuse_bufvec {
  /// One buffer that is a part of an open file.
  init(descriptor: Descriptor, offset: Int64, size: Int) {
    self.init()
    count = 1
    buf.size = size
    buf.flags = fuse_buf_flags(rawValue: FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue)
    buf.fd = descriptor.rawValue
    buf.pos = off_t(offset)
  }
}

extension AttributeChanges {
  /// What SETATTR's `to_set` bits and values ask for.
  init(_ attributes: stat, _ set: Int32) {
    self.init()
    if set & FUSE_SET_ATTR_MODE != 0 { mode = attributes.st_mode & 0o7777 }
    if set & FUSE_SET_ATTR_UID != 0 { owner = attributes.st_uid }
    if set & FUSE_SET_ATTR_GID != 0 { group = attributes.st_gid }
    if set & FUSE_SET_ATTR_SIZE != 0 { size = Int64(attributes.st_size) }
    accessed = Self.time(attributes.st_atim, set, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW)
    modified = Self.time(attributes.st_mtim, set, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW)
  }

  private static func time(_ time: timespec, _ set: Int32, _ given: Int32, _ now: Int32) -> TimeChange {
    if set & now != 0 { return .now }
    if set & given == 0 { return .keep }
    return .to(Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec)))
  }
}

extension Caller {
  init(_ request: fuse_req_t) {
    let context = fuse_req_ctx(request)!.pointee
    self.init(user: context.uid, group: context.gid, thread: context.pid, umask: UInt32(context.umask))
  }
}

/// A C string of a request as bytes, for the length of a call.
@inline(__always)
func withName<Result: ~Copyable, Failure: Error>(
  _ name: UnsafePointer<CChar>?, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
  let start = UnsafeRawPointer(name!).assumingMemoryBound(to: UInt8.self)
  let span = UnsafeBufferPointer(start: start, count: strlen(name!)).span
  return try body(span)
}
