internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

/// The right to answer one request: used up by the answer, so that a second one does not compile, and answered with EIO
/// by its end if it is forgotten.
///
/// Source: the `fuse_reply_…` functions of fuse_lowlevel.h.
struct Reply: ~Copyable {
  private let request: fuse_req_t

  init(_ request: fuse_req_t) {
    self.request = request
  }

  deinit {
    fuse_reply_err(request, EIO)
  }

  /// Gives the request up to one that answers it without this type.
  consuming func release() -> fuse_req_t {
    let request = request
    discard self
    return request
  }

  /// Success without a value.
  consuming func done() {
    fuse_reply_err(release(), 0)
  }

  /// Failure.
  consuming func fail(_ errno: Errno) {
    fuse_reply_err(release(), errno.rawValue)
  }

  /// No answer at all, for FORGET.
  consuming func none() {
    fuse_reply_none(release())
  }

  /// LOOKUP and what makes names.
  consuming func entry(_ entry: Entry) {
    var parameters = fuse_entry_param(entry)
    fuse_reply_entry(release(), &parameters)
  }

  /// A name that does not exist, for the kernel to remember so many seconds.
  consuming func noEntry(timeout: Double) {
    var parameters = fuse_entry_param()
    parameters.entry_timeout = timeout
    fuse_reply_entry(release(), &parameters)
  }

  /// GETATTR and SETATTR; the timeout in seconds.
  consuming func attributes(_ status: FileStatus, timeout: Double) {
    var attributes = stat(status)
    fuse_reply_attr(release(), &attributes, timeout)
  }

  /// READLINK. The content must end in a NUL.
  consuming func link(_ target: borrowing ByteBuffer) {
    let request = release()
    _ = target.span.withUnsafeBytes { bytes in
      fuse_reply_readlink(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
  }

  /// OPEN.
  consuming func opened(_ file: OpenedFile, _ info: inout fuse_file_info) {
    let request = release()
    info.adopt(file)
    PendingBacking.set(file.backing)
    fuse_reply_open(request, &info)
    PendingBacking.set(0)
  }

  /// OPENDIR.
  consuming func openedDirectory(_ handle: UInt64, keepsEntries: Bool, _ info: inout fuse_file_info) {
    info.fh = handle
    info.cache_readdir = 1
    info.keep_cache = keepsEntries ? 1 : 0
    fuse_reply_open(release(), &info)
  }

  /// CREATE.
  consuming func created(_ entry: Entry, _ file: OpenedFile, _ info: inout fuse_file_info) {
    let request = release()
    var parameters = fuse_entry_param(entry)
    info.adopt(file)
    PendingBacking.set(file.backing)
    fuse_reply_create(request, &parameters, &info)
    PendingBacking.set(0)
  }

  /// Bytes.
  consuming func bytes(_ buffer: borrowing ByteBuffer) {
    let request = release()
    _ = buffer.span.withUnsafeBytes { bytes in
      fuse_reply_buf(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }

  /// A part of a file, spliced from it where that can be.
  consuming func content(of file: Descriptor, at offset: Int64, size: Int) {
    if let entry = RingEntry.current { return content(of: file, at: offset, size: size, in: entry) }
    var vector = fuse_bufvec(descriptor: file, offset: offset, size: size)
    fuse_reply_data(release(), &vector, FUSE_BUF_SPLICE_MOVE)
  }

  /// The same into the entry of a ring, from which the kernel copies it.
  private consuming func content(of file: Descriptor, at offset: Int64, size: Int, in entry: RingEntry) {
    let unique = entry.pending
    do throws(Errno) {
      let memory = UnsafeMutableRawBufferPointer(rebasing: entry.payload.prefix(size))
      let count = try System.read(file, at: offset, into: memory)
      // libfuse has the request no longer, and was not the one to answer.
      fuse_reply_none(release())
      if entry.claim(unique) { entry.answer(unique, payloadCount: count) }
    } catch {
      fail(error)
    }
  }

  /// WRITE and COPY_FILE_RANGE: how many bytes were taken.
  consuming func written(_ count: Int) {
    fuse_reply_write(release(), count)
  }

  /// GETXATTR and LISTXATTR: `output`, or its length alone where `size` is 0; ERANGE where it does not fit.
  consuming func xattr(_ output: borrowing ByteBuffer, size: Int) {
    if output.overflowed || output.count > 65536 {
      fail(.argumentListTooLong)
    } else if size == 0 {
      fuse_reply_xattr(release(), output.count)
    } else if output.count > size {
      fail(.outOfRange)
    } else {
      bytes(output)
    }
  }

  /// The length that a value has, for a probe.
  consuming func xattrLength(_ count: Int) {
    fuse_reply_xattr(release(), count)
  }

  /// STATFS.
  consuming func fileSystemStatus(_ status: FileSystemStatus) {
    var values = statvfs()
    values.f_bsize = status.blockSize
    values.f_frsize = status.fragmentSize
    values.f_blocks = fsblkcnt_t(status.blocks)
    values.f_bfree = fsblkcnt_t(status.freeBlocks)
    values.f_bavail = fsblkcnt_t(status.availableBlocks)
    values.f_files = fsfilcnt_t(status.files)
    values.f_ffree = fsfilcnt_t(status.freeFiles)
    values.f_favail = fsfilcnt_t(status.availableFiles)
    values.f_namemax = status.maximumNameLength
    values.f_flag = status.flags
    fuse_reply_statfs(release(), &values)
  }

  /// IOCTL, with the first `count` bytes of a value.
  consuming func flags(_ value: FlagValue, count: Int) {
    var value = value
    let request = release()
    withUnsafeMutableBytes(of: &value) { _ = fuse_reply_ioctl(request, 0, $0.baseAddress, count) }
  }

  /// LSEEK.
  consuming func position(_ offset: Int64) {
    fuse_reply_lseek(release(), off_t(offset))
  }

  /// Whether the one who asked has given up waiting.
  var isInterrupted: Bool { fuse_req_interrupted(request) != 0 }
}
