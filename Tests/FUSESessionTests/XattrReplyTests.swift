import Bucket
import SystemCalls
import TestSupport
import Testing

/// The exact bytes that an xattr request is answered with.
@Suite("The reply to an xattr request")
struct XattrReplyTests {
  static let readOnly = [
    "bucket", "generation", "metageneration", "fullPath", "name", "size", "timeCreated", "updated",
  ]

  @Test("is the value, its length to a probe, and ERANGE where it does not fit")
  func reading() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      for (name, value) in [
        ("user.contentType", "image/jpeg"), ("user.size", "11"), ("user.name", "forest.jpg"),
        ("user.bucket", "bucket"), ("user.fullPath", "forest.jpg"), ("user.metageneration", "1"),
      ] {
        let size = UInt32(value.utf8.count)
        #expect(kernel.getXattr(name, of: node, size: 0)?.raw == kernel.length(value.utf8.count))
        #expect(kernel.getXattr(name, of: node, size: size)?.raw == kernel.success(Array(value.utf8)))
        #expect(kernel.getXattr(name, of: node, size: 65536)?.raw == kernel.success(Array(value.utf8)))
        // A buffer of no size is a probe.
        if size > 1 {
          #expect(kernel.getXattr(name, of: node, size: size - 1)?.raw == kernel.failure(.outOfRange))
        }
      }
    }
  }

  @Test("is an empty value for the root folder's name")
  func emptyValue() throws {
    try FakeKernel.with { kernel in
      for name in ["user.name", "user.fullPath"] {
        #expect(kernel.getXattr(name, of: kernel.root, size: 0)?.raw == kernel.length(0))
        #expect(kernel.getXattr(name, of: kernel.root, size: 100)?.raw == kernel.success())
      }
    }
  }

  @Test("is ENODATA for what is not set")
  func missing() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      for name in [
        "user.cacheControl", "user.location", "user.customMetadata", "user.customMetadata.size",
        "user.bucketfs.update", "user.bucketfs", "user.bucketfs.other", "security.capability",
      ] {
        #expect(kernel.getXattr(name, of: node, size: 0)?.raw == kernel.failure(.noData), "\(name)")
        #expect(kernel.getXattr(name, of: node, size: 100)?.raw == kernel.failure(.noData), "\(name)")
      }
      for name in ["user.cacheControl", "user.location", "user.customMetadata"] {
        #expect(kernel.removeXattr(name, of: node)?.raw == kernel.failure(.noData), "\(name)")
      }
    }
  }

  @Test("is what the flags ask for")
  func flags() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      #expect(kernel.setXattr("user.k", "v", of: node, flags: 2)?.raw == kernel.failure(.noData))
      #expect(kernel.setXattr("user.k", "v", of: node, flags: 1)?.raw == kernel.success())
      #expect(kernel.setXattr("user.k", "v", of: node, flags: 1)?.raw == kernel.failure(.fileExists))
      #expect(kernel.setXattr("user.k", "w", of: node, flags: 2)?.raw == kernel.success())
      #expect(kernel.setXattr("user.k", "x", of: node, flags: 3)?.raw == kernel.failure(.invalidArgument))
      #expect(kernel.getXattr("user.k", of: node, size: 10)?.raw == kernel.success([UInt8(ascii: "w")]))
      #expect(kernel.getXattr("user.metageneration", of: node, size: 10)?.text == "3")
    }
  }

  @Test("is EPERM for each read-only property, whatever is asked", arguments: readOnly)
  func refusal(_ property: String) throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      let name = "user.\(property)"
      let before = try #require(kernel.getXattr(name, of: node, size: 100)?.text)
      for value in ["", "x", before] {
        for flags in 0...3 as ClosedRange<UInt32> {
          #expect(kernel.setXattr(name, value, of: node, flags: flags)?.raw == kernel.failure(.notPermitted))
        }
      }
      #expect(kernel.removeXattr(name, of: node)?.raw == kernel.failure(.notPermitted))
      #expect(kernel.getXattr(name, of: node, size: 100)?.text == before)
    }
  }

  @Test("is the errno of the case for values and namespaces")
  func values() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      let cases: [(String, String, Errno)] = [
        ("user.contentType", "", .invalidArgument), ("user.contentType", "image", .invalidArgument),
        ("user.contentType", "image/jpeg\n", .invalidArgument), ("user.md5Hash", "abc", .invalidArgument),
        ("user.cacheControl", String(repeating: "a", count: 4097), .argumentListTooLong),
        ("user.contentLanguage", String(repeating: "a", count: 101), .argumentListTooLong),
        ("user.k", String(repeating: "a", count: 4097), .argumentListTooLong),
        ("user.", "x", .invalidArgument), ("user.customMetadata.", "x", .invalidArgument),
        ("user.customMetadata", "[]", .invalidArgument), ("user.customMetadata", "{\"\":\"\"}", .invalidArgument),
        ("user.bucketfs", "x", .notPermitted), ("user.bucketfs.json", "{}", .notPermitted),
        ("user.bucketfs.other", "x", .notPermitted), ("user.bucketfs.update", "{", .invalidArgument),
        ("user.bucketfs.update", "{\"size\":\"1\"}", .notPermitted),
        ("user.bucketfs.update", "{\"ifMetagenerationMatch\":\"7\"}", .canceled),
        ("security.selinux", "x", .notSupported), ("trusted.x", "x", .notSupported), ("other", "x", .notSupported),
        ("security.capability", "x", .notSupported),
      ]
      for (name, value, errno) in cases {
        #expect(kernel.setXattr(name, value, of: node)?.raw == kernel.failure(errno), "\(name) = \(value.prefix(20))")
      }
      for name in ["security.selinux", "trusted.x", "other"] {
        #expect(kernel.getXattr(name, of: node, size: 100)?.raw == kernel.failure(.notSupported))
        #expect(kernel.removeXattr(name, of: node)?.raw == kernel.failure(.notSupported))
      }
      #expect(kernel.listXattr(of: node, size: 1000)?.raw == kernel.success())
    }
  }

  @Test("is ENOSPC when all custom metadata together is over its limit")
  func total() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      let value = String(repeating: "v", count: 4094)
      #expect(kernel.setXattr("user.k1", value, of: node)?.raw == kernel.success())
      #expect(kernel.setXattr("user.k2", value, of: node)?.raw == kernel.success())
      #expect(kernel.setXattr("user.k3", "", of: node)?.raw == kernel.failure(.noSpace))
    }
  }

  @Test("lists what is stored, each name with a NUL")
  func listing() throws {
    try FakeKernel.with { kernel in
      let node = try kernel.make("forest.jpg")
      #expect(kernel.listXattr(of: node, size: 0)?.raw == kernel.length(0))
      #expect(kernel.listXattr(of: node, size: 100)?.raw == kernel.success())
      #expect(kernel.setXattr("user.location", "Yosemite", of: node)?.errno.rawValue == 0)
      let expected = Array("user.location\0".utf8)
      #expect(kernel.listXattr(of: node, size: 0)?.raw == kernel.length(expected.count))
      #expect(kernel.listXattr(of: node, size: UInt32(expected.count))?.raw == kernel.success(expected))
      #expect(kernel.listXattr(of: node, size: UInt32(expected.count - 1))?.raw == kernel.failure(.outOfRange))
      #expect(kernel.removeXattr("user.location", of: node)?.raw == kernel.success())
      #expect(kernel.listXattr(of: node, size: 100)?.raw == kernel.success())
    }
  }

  @Test("is a folder's")
  func folders() throws {
    try FakeKernel.with { kernel in
      try (kernel.directory / "photos").makeFolder()
      let node = try kernel.node("photos")
      for name in ["size", "contentType", "generation", "md5Hash"] {
        #expect(kernel.getXattr("user.\(name)", of: node, size: 100)?.raw == kernel.failure(.noData))
        #expect(kernel.setXattr("user.\(name)", "x", of: node)?.raw == kernel.failure(.notPermitted))
        #expect(kernel.removeXattr("user.\(name)", of: node)?.raw == kernel.failure(.notPermitted))
      }
      #expect(kernel.getXattr("user.fullPath", of: node, size: 100)?.text == "photos")
      #expect(kernel.setXattr("user.k", "v", of: node)?.raw == kernel.success())
      #expect(kernel.getXattr("user.k", of: node, size: 100)?.text == "v")
    }
  }

  @Test("is EROFS for every change of a read-only mount")
  func readOnlyMount() throws {
    try FakeKernel.with(readOnly: true) { kernel in
      let node = try kernel.make("forest.jpg")
      #expect(kernel.setXattr("user.k", "v", of: node)?.raw == kernel.failure(.readOnlyFileSystem))
      #expect(kernel.removeXattr("user.contentType", of: node)?.raw == kernel.failure(.readOnlyFileSystem))
      #expect(kernel.getXattr("user.contentType", of: node, size: 100)?.text == "image/jpeg")
    }
  }

  @Test("is EIO where the record is damaged, but for what the file itself tells")
  func damage() throws {
    try FakeKernel.with { kernel in
      try (kernel.directory / "forest.jpg").write("hello world")
      try (kernel.directory / "forest.jpg").set("bucketfs", "no record")
      let node = try kernel.node("forest.jpg")
      #expect(kernel.getXattr("user.contentType", of: node, size: 100)?.raw == kernel.failure(.ioError))
      #expect(kernel.setXattr("user.k", "v", of: node)?.raw == kernel.failure(.ioError))
      #expect(kernel.removeXattr("user.k", of: node)?.raw == kernel.failure(.ioError))
      #expect(kernel.listXattr(of: node, size: 100)?.raw == kernel.failure(.ioError))
      #expect(kernel.setXattr("user.size", "1", of: node)?.raw == kernel.failure(.notPermitted))
      #expect(kernel.getXattr("user.size", of: node, size: 100)?.text == "11")
    }
  }
}
