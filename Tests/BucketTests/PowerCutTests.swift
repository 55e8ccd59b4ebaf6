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
}
