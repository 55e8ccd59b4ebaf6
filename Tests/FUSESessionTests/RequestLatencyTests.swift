import Testing

@testable import FUSESession

/// The histogram of how long requests took.
@Suite struct RequestLatencyTests {
  @Test func aBucketsLimitIsItsLargestNumberAndNearTheOthers() {
    var number: UInt64 = 0
    while number < 7_000_000_000 {
      let bucket = RequestLatencies.bucket(number)
      let limit = RequestLatencies.limit(bucket)
      #expect(limit >= number, "\(number)")
      #expect(Double(limit) <= Double(number) * 1.25 + 1, "\(number)")
      #expect(RequestLatencies.bucket(limit) == bucket && RequestLatencies.bucket(limit + 1) == bucket + 1, "\(number)")
      number = number < 100 ? number + 1 : number + number / 9
    }
    #expect(RequestLatencies.bucket(.max) == 127)
  }

  @Test func percentilesAreOfTheKindAlone() {
    let latencies = RequestLatencies()
    for _ in 0..<98 { latencies.note(3, nanoseconds: 1000) }
    for _ in 0..<2 { latencies.note(3, nanoseconds: 1_000_000) }
    latencies.note(22, nanoseconds: 7)
    let times = latencies.percentiles(of: 3, [0.5, 0.9, 0.99]) ?? []
    #expect(times.count == 3)
    #expect(
      (1000...1250).contains(times.first ?? 0) && (1000...1250).contains(times.dropFirst().first ?? 0), "\(times)")
    #expect((1_000_000...1_250_000).contains(times.last ?? 0), "\(times)")
    #expect(latencies.percentiles(of: 22, [0.5]) == [7])
    #expect(latencies.percentiles(of: 1, [0.5]) == nil)
  }
}
