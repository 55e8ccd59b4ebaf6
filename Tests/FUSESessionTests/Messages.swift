import SystemCalls

/// FUSE's numbers of requests.
enum Kind: UInt32, CaseIterable {
  case lookup = 1
  case forget = 2
  case getattr = 3
  case setattr = 4
  case readlink = 5
  case symlink = 6
  case mknod = 8
  case mkdir = 9
  case unlink = 10
  case rmdir = 11
  case rename = 12
  case link = 13
  case open = 14
  case read = 15
  case write = 16
  case statfs = 17
  case release = 18
  case fsync = 20
  case setxattr = 21
  case getxattr = 22
  case listxattr = 23
  case removexattr = 24
  case flush = 25
  case initialize = 26
  case opendir = 27
  case readdir = 28
  case releasedir = 29
  case fsyncdir = 30
  case access = 34
  case create = 35
  case interrupt = 36
  case destroy = 38
  case batchForget = 42
  case fallocate = 43
  case readdirplus = 44
  case rename2 = 45
  case lseek = 46
  case copyFileRange = 47
}

/// Bytes of a message, put together number by number in the machine's order.
struct Bytes {
  var bytes: [UInt8] = []

  mutating func add<Number: FixedWidthInteger>(_ numbers: Number...) {
    for number in numbers { withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) } }
  }

  mutating func add(zeros count: Int) {
    bytes += [UInt8](repeating: 0, count: count)
  }

  /// Adds a string with a NUL behind it.
  mutating func add(_ text: String) {
    bytes += Array(text.utf8) + [0]
  }

  static func string(_ text: String) -> Bytes {
    var bytes = Bytes()
    bytes.add(text)
    return bytes
  }
}

/// A reply: `fuse_out_header` and what follows.
struct Answer: Equatable {
  let raw: [UInt8]

  var length: UInt32 { raw.number(at: 0) }
  /// The errno, 0 for success.
  var errno: Errno { Errno(rawValue: -Int32(bitPattern: raw.number(at: 4))) }
  var unique: UInt64 { raw.number(at: 8) }
  var body: [UInt8] { Array(raw.dropFirst(16)) }
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension [UInt8] {
  /// The number at an offset, in the machine's order; 0 behind the end.
  func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    guard offset + MemoryLayout<Number>.size <= count else { return 0 }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
  }
}
