/// What a record says of an object's version: right as long as the file is as the pin has it.
package struct StoredVersion: Hashable, Sendable {
  /// Microseconds since 1970, 1 to `Int64.max`.
  package var generation: UInt64
  /// 1 to `Int64.max`.
  package var metageneration: UInt64
  /// Microseconds since 1970, at most `Int64.max`.
  package var updated: UInt64
  /// The content that the numbers are about.
  package var pin: Pin

  package init(generation: UInt64, metageneration: UInt64, updated: UInt64, pin: Pin) {
    self.generation = generation
    self.metageneration = metageneration
    self.updated = updated
    self.pin = pin
  }
}
