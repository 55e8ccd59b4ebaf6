import CTestSupport
import SystemCalls

/// An open file of the test's own, closed when the last reference goes, or by `close()`.
package final class OpenFile {
  package private(set) var number: Int32

  /// open(2).
  package init(_ path: Path, _ flags: Int32 = O_RDONLY, mode: UInt32 = 0o644) throws(Errno) {
    number = try path.withCString { path throws(Errno) in try check { test_open(path, flags, mode) } }
  }

  deinit {
    if number >= 0 { _ = closeNumber(number) }
  }

  /// close(2), whose error is the file's pending one.
  package func close() throws(Errno) {
    let closing = number
    number = -1
    try check { closeNumber(closing) }
  }

  /// write(2) at the file's position. Returns the bytes written.
  @discardableResult
  package func write(_ text: String) throws(Errno) -> Int {
    try write(bytes: Array(text.utf8))
  }

  /// write(2) at the file's position. Returns the bytes written.
  @discardableResult
  package func write(bytes: [UInt8]) throws(Errno) -> Int {
    try check { CTestSupport.write(number, bytes, bytes.count) }
  }

  /// pwrite(2).
  @discardableResult
  package func write(bytes: [UInt8], at offset: Int) throws(Errno) -> Int {
    try check { pwrite(number, bytes, bytes.count, off_t(offset)) }
  }

  /// pread(2).
  package func read(_ count: Int, at offset: Int = 0) throws(Errno) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let length = try check { pread(number, &buffer, count, off_t(offset)) }
    return Array(buffer.prefix(length))
  }

  /// ftruncate(2).
  package func truncate(to size: Int) throws(Errno) {
    try check { ftruncate(number, off_t(size)) }
  }

  /// fallocate(2).
  package func allocate(_ length: Int, at offset: Int = 0, mode: Int32 = 0) throws(Errno) {
    try check { test_fallocate(number, mode, off_t(offset), off_t(length)) }
  }

  /// copy_file_range(2) at both files' positions. Returns the bytes copied.
  @discardableResult
  package func copyRange(to other: OpenFile, _ length: Int) throws(Errno) -> Int {
    try check { test_copy_file_range(number, other.number, length) }
  }

  /// fchmod(2).
  package func changeMode(_ mode: UInt32) throws(Errno) {
    try check { fchmod(number, mode) }
  }

  /// fsync(2).
  package func synchronize() throws(Errno) {
    try check { fsync(number) }
  }

  /// Stores `bytes` at the start of the file through a shared mapping and flushes it with msync(2).
  package func store(_ bytes: [UInt8], mapping length: Int = 4096) throws(Errno) {
    guard let start = test_map(number, length, PROT_READ | PROT_WRITE, MAP_SHARED) else {
      throw Errno(rawValue: test_errno())
    }
    defer { munmap(start, length) }
    start.copyMemory(from: bytes, byteCount: bytes.count)
    try check { msync(start, length, MS_SYNC) }
  }

  /// fstat(2) with the finer times of statx(2).
  package func status() throws(Errno) -> PathStatus {
    var status = statx()
    try check { test_statx(number, "", 0x1000 /* AT_EMPTY_PATH */, 0xfff, &status) }
    return PathStatus(status)
  }
}

private func closeNumber(_ number: Int32) -> Int32 {
  close(number)
}
