import CAllocations
import SystemCalls
import TestSupport
import Testing

@testable import BucketFileSystem

@Suite struct InodeTableTests {
  @Test func descriptorsAreBoundedAndOpenedAgain() throws {
    try FileSystemFixture.with(descriptorLimit: 256) { fixture in
      for number in 0..<2000 { try (fixture.directory / "f\(number)").write("\(number)") }
      let nodes = try (0..<2000).map { try fixture.lookup("f\($0)") }
      for _ in 0..<2 {
        for (number, node) in nodes.enumerated() {
          #expect(try fixture.fileSystem.attributes(of: node).size == UInt64("\(number)".utf8.count))
        }
      }
      #expect(fixture.fileSystem.counts.inodes == 2001)
      #expect(fixture.fileSystem.counts.descriptors <= 257)
      for node in nodes { fixture.fileSystem.forget(node, count: 1) }
      #expect(fixture.fileSystem.counts.inodes == 1)
      #expect(fixture.fileSystem.counts.descriptors == 1)
      #expect(throws: Errno.staleFileHandle) { try fixture.fileSystem.attributes(of: nodes[7]) }
    }
  }

  @Test func aFileReplacedBehindTheMountIsStale() throws {
    try FileSystemFixture.with { fixture in
      try (fixture.directory / "a").write("old")
      let node = try fixture.lookup("a")
      try (fixture.directory / "b").write("new")
      try (fixture.directory / "b").rename(to: fixture.directory / "a")
      #expect(throws: Errno.staleFileHandle) { try fixture.fileSystem.attributes(of: node) }
      #expect(try fixture.lookup("a") != node)
    }
  }

  @Test func aForgottenInodeInUseKeepsItsDescriptor() throws {
    try FileSystemFixture.with { fixture in
      try (fixture.directory / "a").write("content")
      let node = try fixture.lookup("a")
      let inode = try fixture.fileSystem.table.inode(node)
      try fixture.fileSystem.table.withDescriptor(of: inode) { file throws(Errno) in
        fixture.fileSystem.forget(node, count: 1)
        #expect(fixture.fileSystem.counts.descriptors == 1)
        #expect(try System.status(of: file).size == 7)
      }
      #expect(try fixture.lookup("a") == node, "its number is free again")
    }
  }

  @Test func aReusedInodeNumberIsAnotherInode() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      try (fixture.directory / "a").write("content")
      var status = try table.withDescriptor(of: table.root) { root throws(Errno) in
        try System.status(of: ("a" as StaticString).bytes, in: root)
      }
      let old = table.remember(status, parent: table.root, name: Array("a".utf8).span)
      status.born.seconds += 1
      let new = table.remember(status, parent: table.root, name: Array("a".utf8).span)
      #expect(old.id != new.id)
      #expect(table.known(old.key) === new)
      #expect(try table.inode(old.id) === old)
      #expect(table.forget(old.id, 1) === old)
      #expect(table.known(new.key) === new)
      #expect(table.forget(new.id, 1) === new)
      #expect(table.known(new.key) == nil)
    }
  }

  @Test func manyInodesAreFoundWhateverOthersAreForgotten() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      var status = try fixture.fileSystem.attributes(of: .root)
      var random = SystemRandomNumberGenerator()
      var known: [UInt64: NodeID] = [:]
      for step in 0..<60_000 {
        status.inode = UInt64.random(in: 1 << 40..<1 << 40 + 8000, using: &random)
        if step % 3 == 2, let id = known.removeValue(forKey: status.inode) {
          #expect(table.forget(id, .max) != nil)
        } else {
          let inode = table.remember(status, parent: table.root, name: Array("n".utf8).span)
          #expect(known[status.inode] ?? inode.id == inode.id)
          known[status.inode] = inode.id
        }
      }
      for number in UInt64(1) << 40..<1 << 40 + 8000 {
        #expect(table.known(InodeKey(device: status.device, inode: number))?.id == known[number])
      }
    }
  }

  @Test func aRememberedInodeTakesLittleMemory() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      var status = try fixture.fileSystem.attributes(of: .root)
      status.inode = 1 << 40
      let inode = table.remember(status, parent: table.root, name: Array("IMG_20260131_083000.jpg".utf8).span)
      let size = allocation_size(Unmanaged.passUnretained(inode).toOpaque())
      // A Swift array's elements stand 32 bytes into its block.
      let name = inode.name.withUnsafeBytes { allocation_size(UnsafeMutableRawPointer(mutating: $0.baseAddress! - 32)) }
      // The table's arrays, half empty after growing: a pointer, and an entry of the index, which a load of 3/8 spreads.
      #expect(size + name + 2 * 8 + 4 * 8 / 3 <= 250)
    }
  }
}
