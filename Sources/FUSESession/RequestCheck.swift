internal import CFuse
internal import Glibc
internal import SystemCalls

/// Whether a request is whole, before libfuse takes it apart: libfuse trusts the lengths and the NULs of whoever
/// writes to its descriptor.
///
/// The kernel sends nothing that is refused here. Source: linux/fuse.h.
enum RequestCheck {
  /// Bytes of `struct fuse_in_header`, which every request begins with.
  static let headerSize = 40
  /// Bytes that one READ may ask for: libfuse takes that much memory where it cannot splice.
  private static let longestRead: UInt32 = 1 << 20

  /// Whether requests of a kind are never answered: FORGET, INTERRUPT, NOTIFY_REPLY and BATCH_FORGET.
  static func isUnanswered(_ opcode: UInt32) -> Bool {
    opcode == 2 || opcode == 36 || opcode == 41 || opcode == 42
  }

  /// Why the request cannot be served, nil where it can be. It must hold a header.
  static func problem(in request: UnsafeRawBufferPointer, hasExtendedSetxattr: Bool) -> Errno? {
    let length = request.loadUnaligned(as: UInt32.self)
    guard Int(length) == request.count else { return .ioError }
    let opcode = request.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    // An answer to a question of the daemon's, which asks none; libfuse would keep it for ever.
    if opcode == 41 { return .invalidArgument }
    // libfuse answers those that it does not know.
    guard let shape = RequestShape(opcode, hasExtendedSetxattr: hasExtendedSetxattr) else { return nil }
    var rest = UnsafeRawBufferPointer(rebasing: request.dropFirst(headerSize))
    guard rest.count >= shape.fixed else { return .invalidArgument }
    let fixed = UnsafeRawBufferPointer(rebasing: rest.prefix(shape.fixed))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(shape.fixed))
    for number in 0..<shape.strings {
      guard let string = firstString(of: rest) else { return .invalidArgument }
      if number < shape.names, !isName(string) { return .invalidArgument }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(string.count + 1))
    }
    return isWhole(shape, fixed, rest.count) ? nil : .invalidArgument
  }

  /// Whether what the fixed part says of the bytes behind it is so.
  private static func isWhole(_ shape: RequestShape, _ fixed: UnsafeRawBufferPointer, _ rest: Int) -> Bool {
    func number(at offset: Int) -> UInt32 { fixed.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    switch shape.tail {
    case .free: return true
    case .bytes(let countAt): return Int(number(at: countAt)) <= rest
    case .forgets: return Int(number(at: 0)) * 16 <= rest
    case .answer(let sizeAt): return number(at: sizeAt) <= longestRead
    case .upperFlags: return number(at: 12) & UInt32(Negotiation.extended) == 0 || rest >= 4
    }
  }

  /// The bytes before the first NUL; nil where there is none.
  private static func firstString(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let start = bytes.baseAddress, let end = memchr(start, 0, bytes.count) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
  }

  /// Whether the bytes can name an entry of a directory: one component that leads to no other.
  private static func isName(_ name: UnsafeRawBufferPointer) -> Bool {
    let dot = UInt8(ascii: ".")
    switch name.count {
    case 0: return false
    case 1 where name[0] == dot: return false
    case 2 where name[0] == dot && name[1] == dot: return false
    default: return memchr(name.baseAddress!, Int32(UInt8(ascii: "/")), name.count) == nil
    }
  }
}

/// What a kind of request must hold behind its header.
struct RequestShape {
  /// What follows the strings.
  enum Tail {
    /// Nothing that is relied on.
    case free
    /// As many bytes as the number at `countAt` says.
    case bytes(countAt: Int)
    /// `fuse_forget_one`s of 16 bytes, as many as the first number says.
    case forgets
    /// Nothing, but the number at `sizeAt` says how much memory the answer takes.
    case answer(sizeAt: Int)
    /// The upper half of INIT's flags, where the lower half says so.
    case upperFlags
  }

  /// Bytes of the fixed part.
  var fixed: Int
  /// Strings behind it, each with a NUL.
  var strings = 0
  /// How many of those, from the first on, are names of directory entries.
  var names = 0
  var tail = Tail.free

  private init(_ fixed: Int, strings: Int = 0, names: Int = 0, _ tail: Tail = .free) {
    self.fixed = fixed
    self.strings = max(strings, names)
    self.names = names
    self.tail = tail
  }

  /// The shape of the requests of one kind, by FUSE's number; nil for what libfuse refuses.
  init?(_ opcode: UInt32, hasExtendedSetxattr: Bool) {
    switch opcode {
    case 26: self.init(16, .upperFlags)  // INIT
    case 1, 10, 11: self.init(0, names: 1)  // LOOKUP, UNLINK, RMDIR
    case 9, 13: self.init(8, names: 1)  // MKDIR, LINK
    case 8, 35: self.init(16, names: 1)  // MKNOD, CREATE
    case 12: self.init(8, names: 2)  // RENAME
    case 45: self.init(16, names: 2)  // RENAME2
    case 6: self.init(0, strings: 2, names: 1)  // SYMLINK: its name, then the target
    case 21: self.init(hasExtendedSetxattr ? 16 : 8, strings: 1, .bytes(countAt: 0))  // SETXATTR
    case 22: self.init(8, strings: 1)  // GETXATTR
    case 24: self.init(0, strings: 1)  // REMOVEXATTR
    case 15: self.init(40, .answer(sizeAt: 16))  // READ
    case 16: self.init(40, .bytes(countAt: 16))  // WRITE
    case 28, 44: self.init(40)  // READDIR, READDIRPLUS
    case 42: self.init(8, .forgets)  // BATCH_FORGET
    case 4: self.init(88)  // SETATTR
    case 47: self.init(56)  // COPY_FILE_RANGE
    case 31, 32, 33: self.init(48)  // GETLK, SETLK, SETLKW
    case 39: self.init(32, .bytes(countAt: 24))  // IOCTL
    case 43: self.init(32)  // FALLOCATE
    case 18, 25, 29, 40, 46: self.init(24)  // RELEASE, FLUSH, RELEASEDIR, POLL, LSEEK
    case 3, 20, 30, 37: self.init(16)  // GETATTR, FSYNC, FSYNCDIR, BMAP
    case 2, 14, 23, 27, 34, 36: self.init(8)  // FORGET, OPEN, LISTXATTR, OPENDIR, ACCESS, INTERRUPT
    default: return nil
    }
  }
}
