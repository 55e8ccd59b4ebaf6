import CTestSupport
import SystemCalls

/// What tests do with files, one system call each where it can be.
extension Path {
  /// The whole content.
  package func read() throws(Errno) -> [UInt8] {
    let file = try OpenFile(self)
    var content: [UInt8] = []
    while true {
      let part = try file.read(1 << 20, at: content.count)
      if part.isEmpty { return content }
      content += part
    }
  }

  /// The whole content as text.
  package func text() throws(Errno) -> String {
    String(decoding: try read(), as: UTF8.self)
  }

  /// Writes the file anew, as `>` does.
  package func write(_ text: String) throws(Errno) {
    try write(bytes: Array(text.utf8))
  }

  /// Writes the file anew, as `>` does.
  package func write(bytes: [UInt8]) throws(Errno) {
    let file = try OpenFile(self, O_WRONLY | O_CREAT | O_TRUNC)
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try file.write(bytes: Array(rest))) }
    try file.close()
  }

  /// Adds to the end, as `>>` does.
  package func append(_ text: String) throws(Errno) {
    let file = try OpenFile(self, O_WRONLY | O_CREAT | O_APPEND)
    try file.write(text)
    try file.close()
  }

  /// statx(2), of a symlink itself.
  package func status() throws(Errno) -> PathStatus {
    var status = statx()
    try withCString { path throws(Errno) in
      _ = try check { test_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0xfff, &status) }
    }
    return PathStatus(status)
  }

  package var exists: Bool { (try? status()) != nil }

  package func makeFolder(mode: UInt32 = 0o755) throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { mkdir(path, mode) } }
  }

  package func unlink() throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { CTestSupport.unlink(path) } }
  }

  package func removeFolder() throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { rmdir(path) } }
  }

  /// renameat2(2): flag 1 is NOREPLACE, 2 EXCHANGE, 4 WHITEOUT.
  package func rename(to other: Path, flags: UInt32 = 0) throws(Errno) {
    try withCString { from throws(Errno) in
      _ = try other.withCString { to throws(Errno) in try check { test_renameat2(from, to, flags) } }
    }
  }

  package func link(to other: Path) throws(Errno) {
    try withCString { from throws(Errno) in
      _ = try other.withCString { to throws(Errno) in try check { CTestSupport.link(from, to) } }
    }
  }

  package func makeSymbolicLink(to target: Path) throws(Errno) {
    try target.withCString { target throws(Errno) in
      _ = try withCString { path throws(Errno) in try check { symlink(target, path) } }
    }
  }

  package func makeFIFO(mode: UInt32 = 0o644) throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { mkfifo(path, mode) } }
  }

  /// mknod(2) of a device like /dev/null.
  package func makeDevice() throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { mknod(path, mode_t(S_IFCHR) | 0o666, 0x103) } }
  }

  package func changeMode(_ mode: UInt32) throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { chmod(path, mode) } }
  }

  package func changeOwner(_ owner: UInt32, _ group: UInt32) throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { chown(path, owner, group) } }
  }

  package func truncate(to size: Int) throws(Errno) {
    try withCString { path throws(Errno) in _ = try check { CTestSupport.truncate(path, off_t(size)) } }
  }

  /// utimensat(2) with both times, in nanoseconds since 1970.
  package func setTimes(_ nanoseconds: Int64) throws(Errno) {
    let time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    let times = [time, time]
    try withCString { path throws(Errno) in _ = try check { utimensat(AT_FDCWD, path, times, 0) } }
  }

  /// The names in the folder, sorted, without `.` and `..`.
  package func entries() throws(Errno) -> [String] {
    try OpenFile(self, O_RDONLY | O_DIRECTORY).entries()
  }
}

extension OpenFile {
  /// The names in the open folder, sorted, without `.` and `..`.
  package func entries() throws(Errno) -> [String] {
    let copy = try check { dup(number) }
    guard let stream = fdopendir(copy) else { throw Errno(rawValue: test_errno()) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
        start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
