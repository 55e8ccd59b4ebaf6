internal import Glibc
#if FAULT_INJECTION
  package import Synchronization
#endif

/// The wall clock, in one place so that a test can step it.
package enum Clock {
  #if FAULT_INJECTION
    /// Nanoseconds that a test adds to the wall clock.
    package static let testOffset = Atomic<Int64>(0)
  #endif

  /// Now, by CLOCK_REALTIME.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    #if FAULT_INJECTION
      let shifted = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) + testOffset.load(ordering: .relaxed)
      return Timestamp(seconds: shifted / 1_000_000_000, nanoseconds: UInt32(shifted % 1_000_000_000))
    #else
      return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    #endif
  }

  /// Nanoseconds since some start, never stepped, by CLOCK_MONOTONIC: for spans of time.
  package static var monotonic: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
