internal import Glibc
internal import Synchronization

/// INIT: what the kernel offers, and what is taken beyond libfuse 3.14's own flags.
///
/// Source: `struct fuse_init_in` and `fuse_init_out` of linux/fuse.h.
final class Negotiation: Sendable {
  /// The upper flags count, FUSE_INIT_EXT.
  static let extended: UInt64 = 1 << 30
  /// FUSE_HANDLE_KILLPRIV_V2: the kernel need not ask for security.capability at every write.
  static let handleKillprivV2: UInt64 = 1 << 28
  /// FUSE_PASSTHROUGH
  static let passthrough: UInt64 = 1 << 37

  /// FUSE_OVER_IO_URING
  static let rings: UInt64 = 1 << 41
  /// FUSE_SETXATTR_EXT: SETXATTR has a longer fixed part.
  static let setxattrExtended: UInt64 = 1 << 29

  private let offeredFlags = Atomic<UInt64>(0)
  private let wantedFlags = Atomic<UInt64>(0)
  private let takenFlags = Atomic<UInt64>(0)
  private let isFinal = Atomic<Bool>(false)
  private let done = Atomic<Bool>(false)
  private let ended = Atomic<Bool>(false)

  /// The flags of the kernel's INIT request; 0 before it came.
  var offered: UInt64 { offeredFlags.load(ordering: .acquiring) }
  /// Whether INIT was answered.
  var isDone: Bool { done.load(ordering: .acquiring) }
  /// Whether requests are served: INIT was answered, and DESTROY has not come.
  var isInForce: Bool { isDone && !ended.load(ordering: .relaxed) }
  /// Whether the kernel takes backing files.
  var hasPassthrough: Bool { takenFlags.load(ordering: .acquiring) & Self.passthrough != 0 }
  /// Whether the kernel is going to send its requests through rings, and waits until these are there.
  var hasRings: Bool { takenFlags.load(ordering: .acquiring) & Self.rings != 0 }
  /// Whether SETXATTR comes with its longer fixed part.
  var hasExtendedSetxattr: Bool { takenFlags.load(ordering: .relaxed) & Self.setxattrExtended != 0 }

  /// What to ask for, of what the kernel offers.
  func want(_ flags: UInt64) {
    wantedFlags.store(flags & offered, ordering: .releasing)
  }

  /// Reads the flags from the INIT request, which is the first of all, and notes DESTROY, the last.
  func note(request: UnsafeRawBufferPointer) {
    let (initialize, destroy): (UInt32, UInt32) = (26, 38)
    if request.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == destroy { ended.store(true, ordering: .relaxed) }
    guard !isDone, request.count >= 56, request.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == initialize
    else { return }
    // A kernel of a later major version is told of this one, and sends a second INIT.
    isFinal.store(request.loadUnaligned(fromByteOffset: 40, as: UInt32.self) == 7, ordering: .releasing)
    var flags = UInt64(request.loadUnaligned(fromByteOffset: 52, as: UInt32.self))
    if flags & Self.extended != 0, request.count >= 60 {
      flags |= UInt64(request.loadUnaligned(fromByteOffset: 56, as: UInt32.self)) << 32
    }
    offeredFlags.store(flags, ordering: .releasing)
  }

  /// Adds what is wanted to the INIT reply, and notes what was taken in all.
  func complete(reply: UnsafeMutableRawBufferPointer) {
    guard reply.count == 64, isFinal.load(ordering: .acquiring) else { return }
    let wanted = wantedFlags.load(ordering: .acquiring)
    add(UInt32(truncatingIfNeeded: wanted), to: reply, at: 12)
    if wanted >> 32 != 0 {
      add(UInt32(Self.extended), to: reply, at: 12)
      add(UInt32(wanted >> 32), to: reply, at: 32)
    }
    // max_stack_depth: a backing file may not lie on another stacked filesystem.
    if wanted & Self.passthrough != 0 { reply.storeBytes(of: 1, toByteOffset: 36, as: UInt32.self) }
    let lower = reply.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
    let upper = reply.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
    takenFlags.store(UInt64(upper) << 32 | UInt64(lower), ordering: .releasing)
    done.store(true, ordering: .releasing)
  }

  private func add(_ flags: UInt32, to reply: UnsafeMutableRawBufferPointer, at offset: Int) {
    let before = reply.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    reply.storeBytes(of: before | flags, toByteOffset: offset, as: UInt32.self)
  }
}
