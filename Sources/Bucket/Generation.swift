package import SystemCalls

/// An object's version as it is now: a function of the backing file's status and its record, and of nothing else.
///
/// The generation is the later of mtime and birth time, at least 1, for a file without a record; the record's while the
/// file is as pinned; else the greater of that time and the record's plus 1. Each new generation starts at
/// metageneration 1.
package struct ObjectVersion: Hashable, Sendable {
  /// Microseconds since 1970, 1 to `Int64.max`.
  package var generation: UInt64
  /// Starts at 1 with each generation.
  package var metageneration: UInt64
  /// Microseconds since 1970 of the latest change of content or metadata, never before `timeCreated`.
  package var updated: UInt64

  /// The generation's own time, microseconds since 1970.
  package var timeCreated: UInt64 { generation }

  package init(generation: UInt64, metageneration: UInt64, updated: UInt64) {
    self.generation = generation
    self.metageneration = metageneration
    self.updated = updated
  }

  /// The version of a file of `status` whose record says `stored`; nil means that it has none.
  package init(status: FileStatus, stored: StoredVersion?) {
    let time = UInt64(max(1, max(status.modified, status.born).microseconds))
    guard let stored else {
      self.init(generation: time, metageneration: 1, updated: time)
      return
    }
    if stored.pin == Pin(status) {
      self.init(
        generation: stored.generation, metageneration: stored.metageneration,
        updated: max(stored.updated, stored.generation))
    } else {
      let generation = max(time, Self.next(after: stored.generation))
      self.init(generation: generation, metageneration: 1, updated: max(stored.updated, generation))
    }
  }

  /// The version of a file of `status` with the record seen by `view`.
  package init(status: FileStatus, record view: RecordView?) {
    self.init(status: status, stored: view?.version)
  }

  /// The number that follows, or the last one there is: a forged record must not wrap it round.
  package static func next(after number: UInt64) -> UInt64 {
    min(number, UInt64(Int64.max) - 1) + 1
  }

  /// What the record says after one successful change of metadata at `now`, with the file as `pin` has it.
  package func changed(at now: Timestamp, pin: Pin) -> StoredVersion {
    StoredVersion(
      generation: generation, metageneration: Self.next(after: metageneration),
      updated: max(UInt64(max(1, now.microseconds)), generation), pin: pin)
  }

  /// What the record says when this version is pinned as it is.
  package func pinned(_ pin: Pin) -> StoredVersion {
    StoredVersion(generation: generation, metageneration: metageneration, updated: updated, pin: pin)
  }

  /// This version, or the first one above `floor` where it is not above it.
  package func raised(above floor: UInt64) -> ObjectVersion {
    guard generation <= floor else { return self }
    let raised = Self.next(after: floor)
    return ObjectVersion(generation: raised, metageneration: 1, updated: max(updated, raised))
  }
}
