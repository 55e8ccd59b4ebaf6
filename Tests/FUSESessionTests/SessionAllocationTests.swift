import CAllocations
import SystemCalls
import TestSupport
import Testing

/// libfuse allocates each request once; bucketfs adds nothing.
@Suite("Serving a request", .enabled(if: allocations_are_counted()))
struct SessionAllocationTests {
  /// Allocations of a request that was sent before.
  private func allocations(_ kernel: FakeKernel, _ send: () throws -> Answer?) rethrows -> UInt64 {
    _ = try send()
    _ = try send()
    return kernel.allocations
  }

  @Test("allocates nothing of its own for getattr and lookup")
  func attributes() throws {
    try FakeKernel.with { kernel in
      try (kernel.directory / "photos").makeFolder()
      let folder = try kernel.node("photos")
      try (kernel.directory / "photos/a name that is no small string.jpg").write("x")
      let node = try kernel.node("a name that is no small string.jpg", in: folder)
      #expect(allocations(kernel) { kernel.getAttributes(node) } == 1)
      #expect(allocations(kernel) { kernel.lookup("a name that is no small string.jpg", in: folder) } == 1)
      #expect(allocations(kernel) { kernel.getAttributes(folder) } == 1)
    }
  }

  @Test("allocates nothing of its own for reading and listing xattrs")
  func xattrs() throws {
    try FakeKernel.with { kernel in
      try (kernel.directory / "photos").makeFolder()
      let folder = try kernel.node("photos")
      try (kernel.directory / "photos/a name that is no small string.jpg").write("x")
      let node = try kernel.node("a name that is no small string.jpg", in: folder)
      for name in ["contentType", "size", "name", "fullPath", "generation", "updated", "bucket"] {
        #expect(allocations(kernel) { kernel.getXattr("user.\(name)", of: node, size: 100) } == 1, "derived \(name)")
      }
      #expect(kernel.setXattr("user.location", "Yosemite", of: node)?.errno.rawValue == 0)
      #expect(kernel.setXattr("user.contentType", "image/png", of: node)?.errno.rawValue == 0)
      for name in ["contentType", "location", "size", "generation", "metageneration", "fullPath"] {
        #expect(allocations(kernel) { kernel.getXattr("user.\(name)", of: node, size: 100) } == 1, "stored \(name)")
        #expect(allocations(kernel) { kernel.getXattr("user.\(name)", of: node, size: 0) } == 1, "probed \(name)")
      }
      #expect(allocations(kernel) { kernel.listXattr(of: node, size: 1000) } == 1)
    }
  }
}
