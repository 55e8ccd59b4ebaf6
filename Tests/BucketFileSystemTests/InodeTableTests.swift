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

  /// As after somebody has moved a folder below its own part behind the mount, and no descriptor is open any more.
  @Test func foldersThatLieInEachOtherAreStale() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      try Shell.expect("mkdir -p a/b", in: fixture.directory)
      let a = table.remember(try status("a", in: fixture), parent: table.root, name: Array("a".utf8).span)
      let b = table.remember(try status("a/b", in: fixture), parent: a, name: Array("b".utf8).span)
      _ = table.remember(try status("a", in: fixture), parent: b, name: Array("a".utf8).span)
      #expect(throws: Errno.staleFileHandle) { try table.withDescriptor(of: a) { _ in } }
      #expect(throws: Errno.staleFileHandle) { try table.withDescriptor(of: b) { _ in } }
      // The next lookup puts it right.
      _ = table.remember(try status("a", in: fixture), parent: table.root, name: Array("a".utf8).span)
      try table.withDescriptor(of: b) { _ in }
    }
  }

  @Test func aFolderOfAnyDepthIsOpenedAgain() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      let levels = 20_000
      let name = Array("d".utf8)
      var folder = try System.open(Array("\(fixture.directory)".utf8).span, in: .workingDirectory, [.path, .directory])
      var inode = table.root
      for _ in 0..<levels {
        try System.makeDirectory(name.span, in: folder.descriptor, mode: 0o755)
        folder = try System.open(name.span, in: folder.descriptor, [.path, .directory])
        inode = table.remember(try System.status(of: folder.descriptor), parent: inode, name: name.span)
      }
      let deepest = try System.status(of: folder.descriptor)
      let status = try table.withDescriptor(of: inode) { file throws(Errno) in try System.status(of: file) }
      #expect(status.inode == deepest.inode && table.counts.inodes == levels + 1)
    }
  }

  private func status(_ path: String, in fixture: FileSystemFixture) throws -> FileStatus {
    let path = Array("\(fixture.directory)/\(path)".utf8)
    return try System.status(of: path.span, in: .workingDirectory)
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

  @Test(.enabled(if: allocations_are_counted())) func aRememberedInodeTakesLittleMemory() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      var status = try fixture.fileSystem.attributes(of: .root)
      let count = 100_000
      let before = bytes_of_this_thread()
      var nodes: [NodeID] = []
      nodes.reserveCapacity(count)
      for number in 0..<count {
        status.inode = 1 << 40 + UInt64(number)
        let name = "IMG_20260131_\(1_000_000 + number).jpg"
        nodes.append(table.remember(status, parent: table.root, name: Array(name.utf8).span).id)
      }
      let held = Int(bytes_of_this_thread() - before) - nodes.capacity * MemoryLayout<NodeID>.stride
      #expect(held / count <= 250)
      for node in nodes { #expect(table.forget(node, 1) != nil) }
      #expect(bytes_of_this_thread() - before <= 2 << 20, "what is left of the table and the list of nodes")
      #expect(table.counts.inodes == 1)
    }
  }

  @Test func aTableThatShrankFindsWhatIsLeft() throws {
    try FileSystemFixture.with { fixture in
      let table = fixture.fileSystem.table
      var status = try fixture.fileSystem.attributes(of: .root)
      func remember(_ number: Int) -> NodeID {
        status.inode = 1 << 40 + UInt64(number)
        return table.remember(status, parent: table.root, name: Array("n".utf8).span).id
      }
      let nodes = (0..<40_000).map { remember($0) }
      for (number, node) in nodes.enumerated() where number % 100 != 0 { _ = table.forget(node, 1) }
      #expect(table.counts.inodes == 401)
      for number in stride(from: 0, to: 40_000, by: 100) {
        #expect(remember(number) == nodes[number])
        #expect(try table.inode(nodes[number]).key.inode == 1 << 40 + UInt64(number))
      }
      let again = Set((40_000..<50_000).map { remember($0) })
      #expect(again.count == 10_000)
      #expect(again.isDisjoint(with: stride(from: 0, to: 40_000, by: 100).map { nodes[$0] }))
    }
  }
}
