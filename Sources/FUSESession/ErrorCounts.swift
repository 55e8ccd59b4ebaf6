internal import Synchronization

/// How often each errno was the answer.
final class ErrorCounts: Sendable {
  private let counters = InlineArray<256, Atomic<UInt64>> { _ in Atomic(0) }

  /// Counts the answer that begins with these bytes: `struct fuse_out_header`, whose error is negative or 0.
  func count(reply: UnsafeRawBufferPointer) {
    guard reply.count >= 16 else { return }
    let error = reply.loadUnaligned(fromByteOffset: 4, as: Int32.self)
    // A notification of the daemon's own has a positive number there.
    guard error < 0 else { return }
    counters[Int(min(-Int64(error), 255))].wrappingAdd(1, ordering: .relaxed)
  }

  /// The errnos that were answers, with their numbers.
  var all: [(errno: Int32, count: UInt64)] {
    (0..<256).compactMap { index in
      let count = counters[index].load(ordering: .relaxed)
      return count == 0 ? nil : (Int32(index), count)
    }
  }
}
