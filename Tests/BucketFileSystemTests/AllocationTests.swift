import Bucket
import BucketFileSystem
import CAllocations
import SystemCalls
import TestSupport
import Testing

@Suite("Reading an xattr")
struct AllocationTests {
  /// A name without an array behind it.
  private struct StillName: ObjectNaming {
    func appendObjectName(to output: inout ByteBuffer) throws(Errno) { output.append("photos/forest.jpg") }
    func appendLastComponent(to output: inout ByteBuffer) throws(Errno) { output.append("forest.jpg") }
  }

  /// How often `body` allocates, once all that is made only once is there.
  private func allocations(_ body: () throws -> Void) rethrows -> UInt64 {
    try body()
    let before = allocations_of_this_thread()
    try body()
    return allocations_of_this_thread() - before
  }

  @Test("is counted where it allocates", .enabled(if: allocations_are_counted()))
  func counting() {
    #expect(allocations { _ = [UInt8](repeating: 1, count: Int.random(in: 100...200)) } > 0)
  }

  @Test("allocates nothing", .enabled(if: allocations_are_counted()))
  func none() throws {
    try ViewFixture.with { bucket in
      let bare = try bucket.make("bare.jpg")
      let stored = try bucket.make("stored.jpg")
      for (property, value) in Documented.writable { try stored.set(property, value) }
      for number in 0..<20 { try stored.set("key\(number)", "value \(number)") }
      let digested = try bucket.make("digested.jpg")
      _ = try digested.attribute("md5Hash")
      let plain = try bucket.make("plain.jpg")
      try plain.path.set("location", "here")
      try plain.path.set("contentType", "image/png")

      var scratch = MetadataScratch()
      var output = ByteBuffer(capacity: 1 << 17)
      for object in [bare, stored, digested, plain] {
        // The testing library itself allocates where an error is thrown: where the kernel says ENODATA of the record,
        // and where the answer is that.
        let thrown: UInt64 = object === stored ? 0 : 2
        for name in Documented.readOnly + Documented.writable.map(\.0) + ["key7", "location", "missing", "mime_type"] {
          let name = Array("user.\(name)".utf8)
          var isSet = true
          let count = allocations {
            output.removeAll()
            do throws(Errno) {
              _ = try bucket.view.get(
                name.span, of: object.reference, naming: StillName(), user: 0, &scratch, into: &output)
            } catch {
              isSet = false
            }
          }
          #expect(count <= (isSet ? 0 : 1) + thrown, "\(String(decoding: name, as: UTF8.self)) of \(object.path)")
        }
        let count = try allocations {
          output.removeAll()
          try bucket.view.list(of: object.reference, &scratch, into: &output)
        }
        #expect(count <= (object === plain ? thrown : 0), "list of \(object.path)")
      }
    }
  }
}
