internal import Synchronization

/// How long requests of each kind took to serve: a histogram whose buckets grow by a quarter of their octave, so that a
/// percentile is right to within a fifth.
///
/// The time is that on the thread that took the request. A digest that is computed elsewhere counts until it was handed
/// over.
final class RequestLatencies: Sendable {
  private static let kinds = 64
  /// Four for each power of two nanoseconds up to 2^33, over 8 seconds.
  private static let buckets = 128

  private let counters = InlineArray<8192, Atomic<UInt32>> { _ in Atomic(0) }

  /// Notes one request.
  func note(_ opcode: UInt32, nanoseconds: UInt64) {
    let index = Int(min(opcode, 63)) * Self.buckets + Self.bucket(nanoseconds)
    counters[index].wrappingAdd(1, ordering: .relaxed)
  }

  /// The nanoseconds that these shares of the requests of a kind did not exceed; nil where none came.
  func percentiles(of opcode: Int, _ shares: [Double]) -> [UInt64]? {
    let counts = (0..<Self.buckets).map { UInt64(counters[opcode * Self.buckets + $0].load(ordering: .relaxed)) }
    let total = counts.reduce(0, +)
    guard total > 0 else { return nil }
    return shares.map { share in
      let wanted = max(1, UInt64((Double(total) * share).rounded(.up)))
      var seen: UInt64 = 0
      for (index, count) in counts.enumerated() {
        seen += count
        if seen >= wanted { return Self.limit(index) }
      }
      return Self.limit(Self.buckets - 1)
    }
  }

  static func bucket(_ nanoseconds: UInt64) -> Int {
    guard nanoseconds >= 4 else { return Int(nanoseconds) }
    let power = 63 - nanoseconds.leadingZeroBitCount
    let quarter = Int(nanoseconds >> UInt64(power - 2)) & 3
    return min(buckets - 1, 4 * (power - 1) + quarter)
  }

  /// The largest number of nanoseconds in a bucket.
  static func limit(_ bucket: Int) -> UInt64 {
    guard bucket >= 4 else { return UInt64(bucket) }
    let power = bucket / 4 + 1
    return UInt64(bucket % 4 + 5) << UInt64(power - 2) - 1
  }
}
