internal import CFuse
internal import CLinux
internal import CRing
internal import Glibc
internal import SystemCalls

/// The ring of one CPU: its entries, and the thread that serves the requests of that CPU on it.
///
/// The kernel has whoever submitted an entry's command fetch its next request too, so that all commands are submitted
/// by the ring's own thread; an answer from another thread is posted to it.
final class Ring: @unchecked Sendable {
  /// What the ring is to the transport.
  struct Configuration: Sendable {
    let cpu: Int
    /// Entries at the start.
    let depth: Int
    /// Entries at most: more are made while many wait for answers from other threads.
    let maximumDepth: Int
    /// Bytes of an entry's payload.
    let payloadCapacity: Int
  }

  /// Names the event among the completions; entries go by their number.
  private static let eventData = UInt64.max
  /// Above so many bytes a request goes to another thread.
  private static let heavy: UInt32 = 32 * 1024

  // Configuration.
  let configuration: Configuration
  private let event: OwnedDescriptor

  // The thread's own state.
  private var ring: OpaquePointer?
  private var session: Session?
  private var descriptor: Int32 = -1
  private var heavyRequests: HeavyRequests?
  private var entries: [RingEntry] = []
  /// The entries that the kernel knows.
  private var live = 0
  /// Those of them whose request was taken and not yet answered.
  private var taken = 0
  /// Whether the kernel has begun to take its entries back.
  private var isEnding = false
  /// Entries answered by the ring's own thread that are still to be handed over.
  private var answered: [RingEntry] = []

  /// What other threads touch.
  private struct Shared {
    /// All entries, to find one by its request.
    var entries: [RingEntry] = []
    /// Entries that others have answered.
    var posted: [RingEntry] = []
    var isStopping = false
  }
  private let shared = Mutex(Shared())

  init(_ configuration: Configuration) throws(Errno) {
    self.configuration = configuration
    event = try System.makeEvent()
  }

  /// Makes the ring and its first entries. On the ring's own thread, as all that follows until `stop`.
  func prepare() throws(Errno) {
    ServingThread.current._withUnsafeGuaranteedRef { $0.ring = self }
    System.pinThread(to: configuration.cpu)
    answered.reserveCapacity(configuration.maximumDepth)
    for number in 0..<configuration.depth { entries.append(try makeEntry(number)) }
    shared.withLock { $0.entries = entries }
    var failure: Int32 = 0
    ring = cring_create(UInt32(configuration.maximumDepth + 1), &failure)
    if ring == nil { throw Errno(rawValue: -failure) }
  }

  private func makeEntry(_ number: Int) throws(Errno) -> RingEntry {
    try RingEntry(ring: self, number: number, payloadCapacity: configuration.payloadCapacity)
  }

  /// Takes the ring down again.
  func close() {
    if let ring { cring_destroy(ring) }
    ring = nil
    ServingThread.end()
  }

  /// Serves the CPU's requests until the session ends. Returns the errno for which the kernel refused the ring.
  func run(_ session: Session, descriptor: Int32, _ heavyRequests: HeavyRequests) -> Errno? {
    self.session = session
    self.descriptor = descriptor
    self.heavyRequests = heavyRequests
    defer { self.session = nil }
    cring_read_event(ring, event.descriptor.rawValue, Self.eventData)
    for entry in entries { register(entry) }
    var isRegistered = false
    while live > 0 {
      let submitted = cring_wait(ring)
      if submitted < 0, submitted != -EINTR, submitted != -EAGAIN, submitted != -EBUSY {
        return isRegistered ? nil : Errno(rawValue: -submitted)
      }
      var data: UInt64 = 0
      var result: Int32 = 0
      while cring_take(ring, &data, &result) != 0 {
        if data == Self.eventData {
          if shared.withLock({ $0.isStopping }) { return nil }
          takePosted()
          cring_read_event(ring, event.descriptor.rawValue, Self.eventData)
        } else if result < 0 {
          live -= 1
          isEnding = true
          // What is refused at once is refused for good; later it is the session's end.
          if !isRegistered, !Self.isEnd(result), !session.hasExited { return Errno(rawValue: -result) }
        } else {
          isRegistered = true
          serve(entries[Int(data)])
        }
      }
      growIfNeeded()
    }
    return nil
  }

  private static func isEnd(_ result: Int32) -> Bool {
    [-ENOTCONN, -ECONNABORTED, -ECANCELED, -ENODEV].contains(result)
  }

  private func register(_ entry: RingEntry) {
    cring_register(
      ring, descriptor, UInt16(configuration.cpu), entry.memory, UInt32(configuration.payloadCapacity),
      UInt64(entry.number))
    live += 1
  }

  // MARK: Requests

  private func serve(_ entry: RingEntry) {
    taken += 1
    guard let request = entry.takeRequest(), let session, let heavyRequests else {
      entry.giveBack(error: EIO)
      return takeAnswered()
    }
    if Self.mayBlock(entry.opcode) || entry.weight > Self.heavy, heavyRequests.add(entry, request) { return }
    Self.serve(entry, request, session)
    takeAnswered()
  }

  /// Serves an entry's request on the calling thread.
  static func serve(_ entry: RingEntry, _ request: UnsafeMutableRawBufferPointer, _ session: Session) {
    let state = ServingThread.current
    // Asked before: once it is answered the next request may be in the entry.
    let isUnanswered = RequestCheck.isUnanswered(entry.opcode)
    state._withUnsafeGuaranteedRef { $0.entry = entry }
    session.serve(request)
    state._withUnsafeGuaranteedRef { $0.entry = nil }
    if isUnanswered { entry.giveBack() }
  }

  /// What waits for a disk, so that the requests of the CPU are not to wait for it: FSYNC, FSYNCDIR, FALLOCATE,
  /// COPY_FILE_RANGE, SYNCFS.
  private static func mayBlock(_ opcode: UInt32) -> Bool {
    switch opcode {
    case 20, 30, 43, 47, 50: true
    default: false
    }
  }

  // MARK: Answers

  /// Hands an answered entry over to the kernel. On any thread.
  func commit(_ entry: RingEntry) {
    if ServingThread.ifAny?._withUnsafeGuaranteedRef({ $0.ring === self }) == true {
      answered.append(entry)
      return
    }
    shared.withLock { $0.posted.append(entry) }
    System.wake(event.descriptor)
  }

  /// The entry that waits for the answer to this request, nil where none does. On any thread.
  func entry(waitingFor unique: UInt64) -> RingEntry? {
    shared.withLock { shared in shared.entries.first { $0.pending == unique } }
  }

  private func takeAnswered() {
    for entry in answered { submit(entry) }
    answered.removeAll(keepingCapacity: true)
  }

  private func takePosted() {
    let posted = shared.withLock { shared in
      defer { shared.posted.removeAll(keepingCapacity: true) }
      return shared.posted
    }
    for entry in posted { submit(entry) }
  }

  private func submit(_ entry: RingEntry) {
    taken -= 1
    cring_commit(ring, descriptor, UInt16(configuration.cpu), entry.commitID, UInt64(entry.number))
  }

  /// Makes more entries where nearly all wait for other threads: the rest of the CPU's requests must not wait too.
  private func growIfNeeded() {
    let count = entries.count
    guard !isEnding, taken >= live - 1, count < configuration.maximumDepth else { return }
    for number in count..<min(count * 2, configuration.maximumDepth) {
      guard let entry = try? makeEntry(number) else { return }
      entries.append(entry)
      shared.withLock { $0.entries.append(entry) }
      register(entry)
    }
  }

  /// Ends `run`. On any thread.
  func stop() {
    shared.withLock { $0.isStopping = true }
    System.wake(event.descriptor)
  }
}
