internal import CFuse
internal import Glibc
package import SystemCalls

/// FUSE over io_uring: one ring for each CPU that the machine can have, each with its own thread. A request costs half
/// of what it costs over `/dev/fuse`, which goes on beside the rings for FORGET, INTERRUPT and INIT.
///
/// The threads make their rings before INIT is answered, so that what the system refuses is known before the kernel is
/// told to wait for rings.
package final class Rings: @unchecked Sendable {
  /// Bytes of one READ or WRITE at most, and of an entry's payload where there is memory for it.
  static let largestPayload = 1 << 20
  private static let smallestPayload = 1 << 16
  /// Bytes that the entries of all rings take together at most.
  private static let budget = 64 << 20
  /// Entries that a ring should be able to have, rather than larger ones.
  private static let wantedDepth = 16

  private enum Phase {
    case preparing
    case ready
    case serving(Session, Int32)
    case ended
  }

  /// Whether libfuse has rings of its own, which its options ask for.
  package static var areLibrarys: Bool { cfuse_knows_rings() != 0 }

  /// Bytes of an entry's payload, which is the kernel's largest WRITE too.
  let payloadCapacity: Int
  /// Changes only before a session is served.
  private var rings: [Ring]
  private let heavyRequests = HeavyRequests()
  private let onRefusal: @Sendable (Errno) -> Void

  // Guarded by the lock of `condition`.
  private let condition = Condition()
  private var phase = Phase.preparing
  private var prepared = 0
  private var running = 0
  private var failure: Errno?

  /// Plans the rings. Throws what the system says where it does not give them.
  ///
  /// - Parameters:
  ///   - depth: how many requests of one CPU the kernel can hand over at once, before more room is made.
  ///   - onRefusal: called when the kernel refuses the rings after it was promised them: it answers nothing from then
  ///     on, and the mount has to end.
  package init(depth: Int, onRefusal: @escaping @Sendable (Errno) -> Void) throws(Errno) {
    let count = System.possibleCPUs
    var payload = Self.largestPayload
    while payload > Self.smallestPayload, Self.entries(of: payload, count) < Self.wantedDepth { payload /= 2 }
    let limit = min(256, Self.entries(of: payload, count))
    guard limit > 0 else { throw .noMemory }
    payloadCapacity = payload
    self.onRefusal = onRefusal
    var rings: [Ring] = []
    for cpu in 0..<count {
      rings.append(
        try Ring(
          Ring.Configuration(
            cpu: cpu, depth: min(max(1, depth), limit), maximumDepth: limit, payloadCapacity: payload)))
    }
    self.rings = rings
  }

  private static func entries(of payload: Int, _ rings: Int) -> Int {
    budget / (rings * (payload + RingEntry.headPage))
  }

  /// Makes the rings, each on its thread, which inherits what the calling thread may do. Throws what the system says
  /// where it does not give them: then the kernel is offered none.
  package func prepare() throws(Errno) {
    for ring in rings {
      let started: ()? = try? System.startThread { self.run(ring) }
      condition.withLock {
        if started == nil {
          self.failure = .resourceTemporarilyUnavailable
        } else {
          running += 1
        }
      }
      if started == nil { break }
    }
    let failure: Errno? = condition.withLock {
      while prepared < running { condition.wait() }
      let failure = self.failure
      phase = failure == nil ? .ready : .ended
      condition.broadcast()
      return failure
    }
    guard let failure else { return }
    waitForThreads()
    // Their memory is wanted back.
    rings = []
    throw failure
  }

  /// A ring's thread, from its start to its end.
  private func run(_ ring: Ring) {
    let failure: Errno?
    do throws(Errno) {
      try ring.prepare()
      failure = nil
    } catch {
      failure = error
    }
    let serving: (Session, Int32)? = condition.withLock {
      if let failure { self.failure = failure }
      prepared += 1
      condition.broadcast()
      while true {
        switch phase {
        case .preparing, .ready: condition.wait()
        case .serving(let session, let descriptor): return (session, descriptor)
        case .ended: return nil
        }
      }
    }
    if let (session, descriptor) = serving {
      session.giveUpNeedlessRights()
      if let refusal = ring.run(session, descriptor: descriptor, heavyRequests) { onRefusal(refusal) }
    }
    if failure == nil { ring.close() } else { ServingThread.end() }
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
  }

  /// Serves the session's requests: it has promised the kernel the rings.
  func start(_ session: Session, descriptor: Int32) {
    heavyRequests.start(session)
    condition.withLock {
      phase = .serving(session, descriptor)
      condition.broadcast()
    }
  }

  /// Ends all threads and waits for them.
  func stop() {
    condition.withLock {
      phase = .ended
      condition.broadcast()
    }
    for ring in rings { ring.stop() }
    waitForThreads()
    heavyRequests.stop()
  }

  /// Whether they can be offered to the kernel.
  var areReady: Bool {
    condition.withLock {
      if case .ready = phase { true } else { false }
    }
  }

  private func waitForThreads() {
    condition.withLock { while running > 0 { condition.wait() } }
  }

  /// Sends a reply through the entry that waits for it. Nil where none does: it is for `/dev/fuse`.
  func write(_ vectors: UnsafeMutablePointer<iovec>, _ count: Int) -> Int? {
    let unique = vectors[0].iov_base.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    guard unique != 0, let entry = entry(waitingFor: unique), entry.claim(unique) else { return nil }
    var length = 0
    for vector in UnsafeBufferPointer(start: vectors, count: count) { length += vector.iov_len }
    entry.answer(vectors, count)
    return length
  }

  private func entry(waitingFor unique: UInt64) -> RingEntry? {
    if let current = RingEntry.current, current.pending == unique { return current }
    for ring in rings {
      if let entry = ring.entry(waitingFor: unique) { return entry }
    }
    return nil
  }
}
