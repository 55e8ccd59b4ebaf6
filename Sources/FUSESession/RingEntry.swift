internal import CFuse
internal import CRing
internal import Glibc
internal import Synchronization
internal import SystemCalls

/// One place for a request in the kernel's ring of a CPU: its header, its payload, and which request is in it.
///
/// The memory is one mapping: a page with the ring's header at its start, then the payload. A request is put together
/// directly before the payload, so that its bytes are in one piece without moving the payload.
final class RingEntry: @unchecked Sendable {
  static var headPage: Int { cring_payload_offset }

  // Configuration.
  unowned let ring: Ring
  /// The number by which the ring's completions name the entry.
  let number: Int
  let payloadCapacity: Int
  let memory: UnsafeMutableRawPointer

  /// The request that waits for its answer, 0 where there is none. Who changes it to 0 has the right to answer.
  private let unique = Atomic<UInt64>(0)

  init(ring: Ring, number: Int, payloadCapacity: Int) throws(Errno) {
    self.ring = ring
    self.number = number
    self.payloadCapacity = payloadCapacity
    memory = try System.mapMemory(byteCount: Self.headPage + payloadCapacity)
  }

  deinit {
    System.unmapMemory(memory, byteCount: Self.headPage + payloadCapacity)
  }

  /// The entry whose request the calling thread serves.
  static var current: RingEntry? {
    ServingThread.ifAny?._withUnsafeGuaranteedRef { $0.entry }
  }

  /// Where the answer's content goes; until then the request's is there.
  var payload: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + Self.headPage, count: payloadCapacity)
  }

  private var header: UnsafeMutablePointer<cring_header> {
    memory.assumingMemoryBound(to: cring_header.self)
  }

  /// The kernel's name for the request in the entry.
  var commitID: UInt64 { header.pointee.commit_id }

  /// FUSE's number of the kind of the request in the entry.
  var opcode: UInt32 { memory.load(fromByteOffset: 4, as: UInt32.self) }

  /// The request's payload bytes, or READ's size: what it moves.
  var weight: UInt32 {
    let read: UInt32 = 15
    return opcode == read ? memory.load(fromByteOffset: 128 + 16, as: UInt32.self) : header.pointee.payload_size
  }

  /// Puts the request that has come together in one piece, and remembers whose answer it waits for. Nil where its parts
  /// cannot be a request's.
  func takeRequest() -> UnsafeMutableRawBufferPointer? {
    let length = Int(memory.load(as: UInt32.self))
    let payloadSize = Int(header.pointee.payload_size)
    let argumentSize = length - RequestCheck.headerSize - payloadSize
    unique.store(memory.load(fromByteOffset: 8, as: UInt64.self), ordering: .releasing)
    guard payloadSize <= payloadCapacity, (0...128).contains(argumentSize) else { return nil }
    let start = memory + Self.headPage - argumentSize - RequestCheck.headerSize
    memcpy(start, memory, RequestCheck.headerSize)
    memcpy(start + RequestCheck.headerSize, memory + 128, argumentSize)
    return UnsafeMutableRawBufferPointer(start: start, count: length)
  }

  /// Takes the right to answer the request. False where it is not in the entry, or somebody else has answered it.
  func claim(_ unique: UInt64) -> Bool {
    self.unique.compareExchange(expected: unique, desired: 0, ordering: .acquiringAndReleasing).exchanged
  }

  /// The request in the entry.
  var pending: UInt64 { unique.load(ordering: .acquiring) }

  /// Answers the claimed request with `fuse_out_header` in the first vector and content in the others.
  func answer(_ vectors: UnsafeMutablePointer<iovec>, _ count: Int) {
    var size = 0
    for vector in UnsafeBufferPointer(start: vectors + 1, count: count - 1) {
      // The kernel gave as much room as the largest answer that it takes.
      guard vector.iov_len <= payloadCapacity - size else {
        return answer(vectors[0].iov_base.loadUnaligned(fromByteOffset: 8, as: UInt64.self), error: EIO)
      }
      if vector.iov_len > 0 { memcpy(memory + Self.headPage + size, vector.iov_base, vector.iov_len) }
      size += vector.iov_len
    }
    memcpy(memory, vectors[0].iov_base, 16)
    header.pointee.payload_size = UInt32(size)
    ring.commit(self)
  }

  /// Answers the claimed request with what stands in the payload already, or with an errno.
  func answer(_ unique: UInt64, payloadCount: Int = 0, error: Int32 = 0) {
    memory.storeBytes(of: UInt32(16 + payloadCount), as: UInt32.self)
    memory.storeBytes(of: -error, toByteOffset: 4, as: Int32.self)
    memory.storeBytes(of: unique, toByteOffset: 8, as: UInt64.self)
    header.pointee.payload_size = UInt32(payloadCount)
    ring.commit(self)
  }

  /// Gives the entry back after what is no request, with an errno, or after a request of a kind that has no answer. By
  /// `/dev/fuse` the kernel waits for none; in a ring it does, uninterruptibly: it sends FORGET there when it cannot use
  /// an entry of READDIRPLUS.
  func giveBack(error: Int32 = 0) {
    let unique = pending
    if claim(unique) { answer(unique, error: error) }
  }
}
