import CTestSupport

/// Folders and files of a target. Whoever starts the fuzzer removes them.
enum Tree {
  /// A new folder for this process.
  static func workspace() -> [UInt8] {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/bucketfs-fuzz-XXXXXX".utf8CString)
    demand(mkdtemp(&template) != nil, "no folder can be made in \(base)")
    return template.dropLast().map { UInt8(bitPattern: $0) }
  }

  static func makeFolder(_ path: [UInt8]) {
    _ = text(path) { mkdir($0, 0o755) }
  }

  /// Makes the folders above a path.
  static func makeFolders(above path: [UInt8]) {
    for (index, byte) in path.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      makeFolder(Array(path[..<index]))
    }
  }

  static func write(_ path: [UInt8], _ content: [UInt8]) {
    let file = text(path) { test_open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
    guard file >= 0 else { return }
    _ = CTestSupport.write(file, content, content.count)
    close(file)
  }

  static func link(_ path: [UInt8], to target: [UInt8]) {
    _ = text(path) { path in text(target) { symlink($0, path) } }
  }

  static func read(_ path: [UInt8]) -> [UInt8] {
    let file = text(path) { test_open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0) }
    guard file >= 0 else { return [] }
    defer { close(file) }
    var content = [UInt8](repeating: 0, count: 1 << 16)
    return Array(content.prefix(max(0, CTestSupport.read(file, &content, content.count))))
  }

  /// The names in a folder, sorted.
  static func names(_ folder: [UInt8]) -> [[UInt8]] {
    guard let stream = text(folder, { opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
        start.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
          Array(UnsafeBufferPointer(start: start, count: strnlen(start, 256)))
        }
      }
      if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func strnlen(_ start: UnsafePointer<UInt8>, _ limit: Int) -> Int {
    var count = 0
    while count < limit, start[count] != 0 { count += 1 }
    return count
  }

  /// The type bits of the mode, 0 where there is nothing.
  static func kind(_ path: [UInt8]) -> mode_t {
    var status = stat()
    return text(path) { lstat($0, &status) } == 0 ? status.st_mode & mode_t(S_IFMT) : 0
  }

  /// Removes what is in a folder, and stays out of others.
  static func empty(_ folder: [UInt8]) {
    _ = text(folder) { chmod($0, 0o755) }
    for name in names(folder) { remove(folder + "/".utf8 + name) }
  }

  /// Removes a file or a folder.
  static func remove(_ path: [UInt8]) {
    guard kind(path) == mode_t(S_IFDIR) else {
      _ = text(path) { unlink($0) }
      return
    }
    empty(path)
    _ = text(path) { rmdir($0) }
  }

  /// Each path below a folder with what it is: content and the time of its latest change of any kind.
  static func state(_ folder: [UInt8]) -> [[UInt8]: String] {
    var found: [[UInt8]: String] = [:]
    for name in names(folder) {
      let path = folder + "/".utf8 + name
      var status = stat()
      _ = text(path) { lstat($0, &status) }
      found[path] =
        "\(status.st_mode) \(status.st_uid) \(status.st_size) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
      if kind(path) == mode_t(S_IFDIR) { found.merge(state(path)) { one, _ in one } }
    }
    return found
  }

  /// Calls `body` with the path as C takes it, up to its first NUL.
  static func text<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

extension Tree {
  static func isFolder(_ path: [UInt8]) -> Bool { kind(path) == mode_t(S_IFDIR) }

  static func isLink(_ path: [UInt8]) -> Bool { kind(path) == mode_t(S_IFLNK) }
}
