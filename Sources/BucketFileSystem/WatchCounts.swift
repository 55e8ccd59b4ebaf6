internal import Synchronization

/// What a watch has seen so far.
package final class WatchCounts: Sendable {
  private let seen = Atomic<UInt64>(0)
  private let lost = Atomic<UInt64>(0)

  /// Events of changes that others made.
  package var events: UInt64 { seen.load(ordering: .relaxed) }
  /// How often the kernel had to forget everything.
  package var overflows: UInt64 { lost.load(ordering: .relaxed) }

  func noteEvent() { seen.wrappingAdd(1, ordering: .relaxed) }
  func noteOverflow() { lost.wrappingAdd(1, ordering: .relaxed) }
}
