internal import Bucket
internal import SystemCalls

/// Whole files, as exports and imports are made of.
enum Files {
  private static let slash = UInt8(ascii: "/")

  /// Makes the folder and those above it, where they are not there.
  static func makeFolders(_ path: [UInt8]) throws(Errno) {
    for (index, byte) in path.enumerated() where byte == slash && index > 0 { try makeFolder(Array(path[..<index])) }
    try makeFolder(path)
  }

  private static func makeFolder(_ path: [UInt8]) throws(Errno) {
    do throws(Errno) {
      try System.makeDirectory(path.span, in: .workingDirectory, mode: 0o777)
    } catch {
      if (try? System.open(path.span, in: .workingDirectory, [.path, .directory])) == nil { throw error }
    }
  }

  /// Writes a file.
  static func write(_ bytes: [UInt8], to path: [UInt8]) throws(Errno) {
    let file = try make(path)
    try System.writeAll(file.descriptor, bytes.span)
  }

  /// Opens the folder of those names below another, made where they are not there. Follows no symlink.
  static func makeFolder(_ names: [[UInt8]], beneath root: Descriptor) throws(Errno) -> OwnedDescriptor {
    let flags: OpenFlags = [.path, .directory, .noFollow]
    var folder = try System.duplicate(root)
    for name in names {
      do throws(Errno) {
        try System.makeDirectory(name.span, in: folder.descriptor, mode: 0o777)
      } catch .fileExists {}
      folder = try System.open(name.span, in: folder.descriptor, flags)
    }
    return folder
  }

  /// A regular file, opened with O_PATH.
  struct Regular: ~Copyable {
    let file: OwnedDescriptor
    let size: UInt64
  }

  /// Opens a regular file below a folder, reached by no symlink and by no way out; nil where there is none.
  static func regular(_ path: [UInt8], beneath folder: Descriptor) -> Regular? {
    do throws(Errno) {
      let file = try System.open(path: path.span, beneath: folder, [.path, .noFollow])
      let status = try System.status(of: file.descriptor)
      return status.isRegular ? Regular(file: file, size: status.size) : nil
    } catch {
      return nil
    }
  }

  /// The content of an open file.
  static func content(of source: Descriptor) throws(Errno) -> [UInt8] {
    let reading = try System.reopen(source, [.readOnly, .nonBlocking])
    var buffer = ByteBuffer(capacity: 1 << 16)
    var content: [UInt8] = []
    while try buffer.fill({ memory throws(Errno) in try System.readNext(reading.descriptor, into: memory) }) > 0 {
      content += buffer.array
    }
    return content
  }

  /// Makes a file that is not there yet, or empties one that is.
  static func make(_ path: [UInt8]) throws(Errno) -> OwnedDescriptor {
    try System.open(path.span, in: .workingDirectory, [.writeOnly, .create, .truncate], mode: 0o666)
  }

  /// Copies the content of an open file to another, and is interrupted by what is to end the process. Returns how many
  /// bytes there were, and their CRC-32C.
  @discardableResult
  static func copy(_ source: Descriptor, to file: Descriptor) throws(Errno) -> (size: UInt64, checksum: UInt32) {
    let reading = try System.reopen(source, [.readOnly, .nonBlocking])
    var buffer = ByteBuffer(capacity: 1 << 20)
    var checksum = CRC32C()
    var size: UInt64 = 0
    while try buffer.fill({ memory throws(Errno) in try System.readNext(reading.descriptor, into: memory) }) > 0 {
      if System.isToTerminate { throw .interrupted }
      checksum.update(buffer.span)
      size += UInt64(buffer.count)
      try System.writeAll(file, buffer.span)
    }
    return (size, checksum.value)
  }
}
