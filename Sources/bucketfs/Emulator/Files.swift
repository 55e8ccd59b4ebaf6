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
    let file = try System.open(path.span, in: .workingDirectory, [.writeOnly, .create, .truncate], mode: 0o666)
    try System.writeAll(file.descriptor, bytes.span)
  }

  /// Copies the content of an open file, and is interrupted by what is to end the process. Returns how many bytes there were, and their CRC-32C.
  @discardableResult
  static func copy(_ source: Descriptor, to path: [UInt8]) throws(Errno) -> (size: UInt64, checksum: UInt32) {
    let reading = try System.reopen(source, [.readOnly, .nonBlocking])
    let file = try System.open(path.span, in: .workingDirectory, [.writeOnly, .create, .truncate], mode: 0o666)
    var buffer = ByteBuffer(capacity: 1 << 20)
    var checksum = CRC32C()
    var size: UInt64 = 0
    while try buffer.fill({ memory throws(Errno) in try System.readNext(reading.descriptor, into: memory) }) > 0 {
      if System.isToTerminate { throw .interrupted }
      checksum.update(buffer.span)
      size += UInt64(buffer.count)
      try System.writeAll(file.descriptor, buffer.span)
    }
    return (size, checksum.value)
  }
}
