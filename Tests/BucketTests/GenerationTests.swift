import Bucket
import SystemCalls
import Testing

@Suite("Generation")
struct GenerationTests {
  /// A file as statx could show it.
  private func file(size: UInt64 = 0, modified: Int64, born: Int64 = 0, nanoseconds: UInt32 = 0) throws -> FileStatus {
    var status = try System.status(of: .workingDirectory)
    status.size = size
    status.modified = Timestamp(seconds: modified, nanoseconds: nanoseconds)
    status.born = Timestamp(seconds: born, nanoseconds: 0)
    return status
  }

  @Test("without a record is the later of mtime and birth time in microseconds")
  func withoutRecord() throws {
    let written = ObjectVersion(status: try file(modified: 200, born: 100, nanoseconds: 1999), stored: nil)
    #expect(written == ObjectVersion(generation: 200_000_001, metageneration: 1, updated: 200_000_001))
    #expect(written.timeCreated == written.generation)
    let backdated = ObjectVersion(status: try file(modified: 50, born: 100), stored: nil)
    #expect(backdated.generation == 100_000_000)
  }

  @Test("is at least 1, for files from before 1970 too")
  func atLeastOne() throws {
    #expect(ObjectVersion(status: try file(modified: 0, born: 0), stored: nil).generation == 1)
    #expect(ObjectVersion(status: try file(modified: -5, born: -9), stored: nil).generation == 1)
    #expect(ObjectVersion(status: try file(modified: .min, born: .min), stored: nil).generation == 1)
    #expect(ObjectVersion(status: try file(modified: .max), stored: nil).generation == UInt64(Int64.max))
  }

  @Test("is the record's while size and mtime are as pinned")
  func pinned() throws {
    let status = try file(size: 5, modified: 10, born: 300)
    let stored = StoredVersion(generation: 7, metageneration: 4, updated: 9, pin: Pin(status))
    #expect(
      ObjectVersion(status: status, stored: stored)
        == ObjectVersion(generation: 7, metageneration: 4, updated: 9))
  }

  @Test("grows by a change of size or mtime, also with an older mtime or a clock that stepped back")
  func changed() throws {
    let before = try file(size: 5, modified: 1000)
    let stored = StoredVersion(generation: 1_000_000_000, metageneration: 4, updated: 2_000_000_000, pin: Pin(before))
    let older = ObjectVersion(status: try file(size: 5, modified: 10), stored: stored)
    #expect(older == ObjectVersion(generation: 1_000_000_001, metageneration: 1, updated: 2_000_000_000))
    let longer = ObjectVersion(status: try file(size: 6, modified: 1000), stored: stored)
    #expect(longer.generation == 1_000_000_001)
    let later = ObjectVersion(status: try file(size: 5, modified: 3000), stored: stored)
    #expect(later == ObjectVersion(generation: 3_000_000_000, metageneration: 1, updated: 3_000_000_000))
  }

  @Test("makes updated never earlier than timeCreated, whatever the clock says")
  func updatedNeverBeforeCreated() throws {
    let version = ObjectVersion(status: try file(modified: 1000), stored: nil)
    let pin = Pin(try file(modified: 1000))
    let changed = version.changed(at: Timestamp(seconds: 5, nanoseconds: 0), pin: pin)
    #expect(changed.updated == 1_000_000_000)
    #expect(changed.metageneration == 2)
    #expect(changed.generation == 1_000_000_000)
    let later = version.changed(at: Timestamp(seconds: 2000, nanoseconds: 5000), pin: pin)
    #expect(later.updated == 2_000_000_005)
    let forged = StoredVersion(generation: 50, metageneration: 1, updated: 1, pin: pin)
    #expect(ObjectVersion(status: try file(modified: 1000), stored: forged).updated == 50)
  }

  @Test("is raised above another only where it is not above it already")
  func raised() {
    let version = ObjectVersion(generation: 10, metageneration: 3, updated: 12)
    #expect(version.raised(above: 9) == version)
    #expect(version.raised(above: 10) == ObjectVersion(generation: 11, metageneration: 1, updated: 12))
    #expect(version.raised(above: 99) == ObjectVersion(generation: 100, metageneration: 1, updated: 100))
  }

  @Test("stays at the last number when a forged record is there")
  func saturates() throws {
    let last = UInt64(Int64.max)
    let stored = StoredVersion(
      generation: last, metageneration: last, updated: last, pin: Pin(try file(size: 1, modified: 1)))
    let version = ObjectVersion(status: try file(size: 2, modified: 1), stored: stored)
    #expect(version.generation == last)
    let pinned = ObjectVersion(status: try file(size: 1, modified: 1), stored: stored)
    #expect(pinned.changed(at: Clock.now, pin: stored.pin).metageneration == last)
  }
}
