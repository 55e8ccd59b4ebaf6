import Bucket
import SystemCalls
import TestSupport
import Testing

@testable import BucketFileSystem

/// The file system's own bookkeeping, which no kernel is needed for.
@Suite struct FileSystemTests {
  @Test func aNewObjectIsAboveTheOneRemovedAtItsName() throws {
    try FileSystemFixture.with { fixture in
      let node = try fixture.create("a")
      // As if the clock had been stepped back since the object was made.
      try (fixture.directory / "a").setTimes(4_000_000_000_000_000_000)
      let removed = try fixture.generation(of: node)
      #expect(removed == 4_000_000_000_000_000)
      try fixture.unlink("a")
      #expect(try fixture.generation(of: fixture.create("a")) > removed)
      #expect(try fixture.generation(of: fixture.create("b")) < removed)
    }
  }

  @Test func anObjectMovedOverAnotherIsAboveBoth() throws {
    try FileSystemFixture.with { fixture in
      let old = try fixture.create("a")
      try (fixture.directory / "a").setTimes(4_000_000_000_000_000_000)
      let replaced = try fixture.generation(of: old)
      let new = try fixture.create("b")
      try fixture.rename("b", to: "a")
      #expect(try fixture.generation(of: new) > replaced)
      #expect(try fixture.fullPath(of: new) == "a")
      #expect(try fixture.generation(of: old) == replaced, "without a name it is reached by its descriptor")
    }
  }

  @Test func exchangedObjectsKeepTheirGenerations() throws {
    try FileSystemFixture.with { fixture in
      let first = try fixture.create("a")
      let second = try fixture.create("b")
      let generations = try (fixture.generation(of: first), fixture.generation(of: second))
      try fixture.rename("a", to: "b", .exchange)
      #expect(try fixture.generation(of: first) == generations.0)
      #expect(try fixture.generation(of: second) == generations.1)
      #expect(try fixture.fullPath(of: first) == "b")
      #expect(try fixture.fullPath(of: second) == "a")
    }
  }

  @Test func aRenameThatFailsLeavesEverything() throws {
    try FileSystemFixture.with { fixture in
      let node = try fixture.create("a")
      try (fixture.directory / "folder").makeFolder()
      let generation = try fixture.generation(of: node)
      #expect(throws: Errno.isDirectory) { try fixture.rename("a", to: "folder") }
      #expect(throws: Errno.fileExists) { try fixture.rename("a", to: "folder", .noReplace) }
      #expect(try fixture.generation(of: node) == generation)
      #expect(try fixture.fullPath(of: node) == "a")
    }
  }

  @Test func aLastNameGivenBehindTheMountIsFound() throws {
    try FileSystemFixture.with { fixture in
      try (fixture.directory / "a").write("content")
      try (fixture.directory / "a").link(to: fixture.directory / "b")
      let node = try fixture.lookup("a")
      #expect(try fixture.lookup("b") == node)
      #expect(try fixture.fullPath(of: node) == "b")
      try fixture.unlink("b")
      try (fixture.directory / "a").rename(to: fixture.directory / "c")
      #expect(try fixture.lookup("c") == node)
      #expect(try fixture.fullPath(of: node) == "c")
    }
  }

  @Test func aFirstNameIsKnownThoughASecondWasGivenBehindTheMount() throws {
    try FileSystemFixture.with { fixture in
      try (fixture.directory / "a").write("content")
      let node = try fixture.lookup("a")
      try (fixture.directory / "a").link(to: fixture.directory / "b")
      #expect(try fixture.lookup("b", thread: 2) == node)
      #expect(try fixture.fullPath(of: node, thread: 2) == "b")
      // The kernel trusts it still, and asks without a lookup.
      #expect(try fixture.fullPath(of: node, thread: 1) == "a")
    }
  }

  @Test func theNamesOfAFileAreBounded() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      let links = LinkNames()
      for number in 0..<200 {
        links.note(table.root, name: Array("n\(number)".utf8).span, parent: table.root, thread: Int32(number))
      }
      for number in 0..<200 {
        let moved = LinkNames.Place(parent: table.root, name: Array("m\(number)".utf8))
        links.remove(table.root, name: Array("n\(number)".utf8).span, parent: table.root, moved: moved)
      }
      #expect(links.known(of: table.root).count <= 64)
    }
  }

  @Test(.timeLimit(.minutes(1))) func manyFilesMadeInAMinuteCostNoMoreEach() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      var status = try fixture.fileSystem.attributes(of: .root)
      let replacements = Replacements()
      for number in 0..<100_000 {
        status.inode = 1 << 40 + UInt64(number)
        replacements.noteCreation(of: table.remember(status, parent: table.root, name: [110].span), by: 1)
      }
      #expect(replacements.creator(of: InodeKey(device: status.device, inode: 1 << 40), born: status.born) == 1)
    }
  }

  @Test func aBackingIsRegisteredOnceAndReleasedWithTheLastHandle() throws {
    let counts = Mutex((registered: 0, released: 0))
    let backings = BackingRegistry(
      register: { _ in
        counts.withLock {
          $0.registered += 1; return Int32($0.registered)
        }
      },
      release: { _ in counts.withLock { $0.released += 1 } })
    try FileSystemFixture.with(backings: backings) { fixture in
      try (fixture.directory / "a").write("content")
      let node = try fixture.lookup("a")
      let open = {
        try fixture.fileSystem.open(node, flags: .readOnly, caller: fixture.caller(), worker: fixture.worker)
      }
      let (first, second) = try (open(), open())
      #expect(first.backing == 1 && second.backing == 1)
      try fixture.fileSystem.release(first.handle, worker: fixture.worker)
      #expect(counts.withLock { $0.released } == 0)
      #expect(throws: Errno.badFileDescriptor) {
        try fixture.fileSystem.release(first.handle, worker: fixture.worker)
      }
      try fixture.fileSystem.release(second.handle, worker: fixture.worker)
      #expect(counts.withLock { $0.released } == 1)
      let third = try open()
      #expect(third.backing == 2)
      try fixture.fileSystem.release(third.handle, worker: fixture.worker)
      #expect(fixture.fileSystem.counts.files == 0)
    }
    #expect(counts.withLock { $0.registered == 2 && $0.released == 2 })
  }

}
