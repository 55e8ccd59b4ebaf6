import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("After a power cut")
struct PowerCutTests {
  @Test(
    "a change that was followed by fsync is there, in the xattr or beside it",
    arguments: [BackingFileSystem.ext4, .xfs])
  func synchronized(_ kind: BackingFileSystem) throws {
    try kind.with { root in
      do {
        let bucket = try TestBucket(at: root)
        for name in ["large", "small"] as [Path] {
          let object = try bucket.make(name)
          try object.set("state", "old")
          try object.change {
            $0.setCustom(CustomEntry(key: Array("state".utf8), value: Array("new".utf8)))
            if name == "large" {
              for part in 0..<2 {
                $0.setCustom(CustomEntry(key: [UInt8(part)], value: Array(repeating: 7, count: 4000)))
              }
            }
          }
          let file = try System.reopen(object.descriptor, .readOnly)
          try System.synchronize(file.descriptor)
          // Not followed by one: it may be there or not.
          try object.change { $0.setCustom(CustomEntry(key: [9], value: Array(repeating: 9, count: 100))) }
        }
      }
      // The journal is cut off where it is, as by a power cut.
      try Shell.expect("xfs_io -x -c shutdown \(root); umount \(root); mount -o loop \(root)/../image \(root)")
      let bucket = try TestBucket(at: root)
      for name in ["large", "small"] as [Path] {
        let record = try #require(try bucket.object(name).record())
        #expect(try bucket.object(name).value("state") == "new")
        #expect(record.metageneration == 3 || record.metageneration == 4)
        #expect(record.custom.count == (name == "large" ? 3 : 1) + Int(record.metageneration) - 3)
        try bucket.object(name).set("k", "v")
      }
    }
  }

  @Test("nothing is left beside a record that outgrew the inode", arguments: [BackingFileSystem.ext4, .xfs])
  func outgrown(_ kind: BackingFileSystem) throws {
    try kind.with { root in
      let object = try TestBucket(at: root).make("object")
      try object.set("key", "short")
      for length in [100, 200, 300, 3000, 10, 250, 8000] {
        let value = String(repeating: "x", count: length)
        try object.change { record in
          for (index, part) in [value.prefix(4000), value.dropFirst(4000)].enumerated() {
            record.setCustom(CustomEntry(key: [UInt8(ascii: "a") + UInt8(index)], value: Array(part.utf8)))
          }
        }
        #expect(try object.value("a")! + object.value("b")! == value)
        #expect(try object.plainNames() == ["user.bucketfs"])
      }
    }
  }
}
