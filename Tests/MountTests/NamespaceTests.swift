import SystemCalls
import TestSupport
import Testing

/// Names that are no property and no custom metadata.
@Suite struct NamespaceTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(arguments: ["security.selinux", "trusted.overlay.opaque", "other.name", "system.other"], Access.allCases)
  func aNamespaceThatIsNotKeptIsNotSupported(name: String, access: Access) throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      let file = try access.reach(bucket / "f")
      #expect(throws: Errno.notSupported) { try file.attributeBytes(bytes(name)) }
      #expect(throws: Errno.notSupported) { try file.setAttribute(bytes(name), bytes("v"), flags: 0) }
      #expect(throws: Errno.notSupported) { try file.removeAttribute(bytes(name)) }
      #expect(try file.attributeNames() == [])
    }
  }

  @Test func otherSecurityAttributesAreAbsentAndCannotBeSet() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      for name in ["security.other", "security.capability"] {
        #expect(throws: Errno.noData, "\(name)") { try file.attributeBytes(bytes(name)) }
        #expect(throws: Errno.notSupported, "\(name)") { try file.removeAttribute(bytes(name)) }
      }
      #expect(throws: Errno.notSupported) { try file.setAttribute(bytes("security.other"), bytes("v"), flags: 0) }
      #expect(try Shell.bash("setcap cap_net_raw+ep \(file.quoted)").status != 0)
      #expect(try (bucket.backing / "f").attributeNames() == [])
    }
  }

  @Test(arguments: ["user.", "user.customMetadata."]) func anEmptyKeyIsInvalid(name: String) throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      #expect(throws: Errno.invalidArgument) { try file.attributeBytes(bytes(name)) }
      #expect(throws: Errno.invalidArgument) { try file.setAttribute(bytes(name), bytes("v"), flags: 0) }
      #expect(throws: Errno.invalidArgument) { try file.removeAttribute(bytes(name)) }
    }
  }

  @Test func namesOfTheManyAtOnceAttributesAreReserved() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      #expect(throws: Errno.noData) { try file.attribute("bucketfs.update") }
      #expect(throws: Errno.notPermitted) { try file.remove("bucketfs.update") }
      #expect(throws: Errno.noData) { try file.attribute("customMetadata") }
      #expect(throws: Errno.noData) { try file.remove("customMetadata") }
      // The status belongs to the root folder.
      #expect(throws: Errno.noData) { try file.attribute("bucketfs.status") }
      #expect(throws: Errno.notPermitted) { try bucket.mountpoint.set("bucketfs.status", "x") }
      #expect(throws: Errno.notPermitted) { try bucket.mountpoint.remove("bucketfs.status") }
    }
  }

  @Test func theStatusIsForRootAndTheDaemonsUser() throws {
    try MountedBucket.with { bucket in
      #expect(try !bucket.mountpoint.attribute("bucketfs.status").isEmpty)
      try Caller.nobody.run {
        #expect(throws: Errno.permissionDenied) { try bucket.mountpoint.attribute("bucketfs.status") }
      }
    }
  }
}
