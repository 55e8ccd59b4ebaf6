import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// What operations cost: the requests that reach the daemon, which no noise moves.
@Suite struct RequestTests {
  /// The requests by kind so far.
  private func requests(_ bucket: MountedBucket) throws -> [String: Int] {
    let status = try bucket.mountpoint.attribute("bucketfs.status")
    let object = status.trimmingPrefix("{\"requests\":{").prefix { $0 != "}" }
    return Dictionary(
      uniqueKeysWithValues: object.split(separator: ",").map { member in
        let halves = member.split(separator: ":")
        return (String(halves[0].dropFirst().dropLast()), Int(halves[1])!)
      })
  }

  /// The fewest requests that `body` makes in a few attempts: on a busy machine a timeout may end in the middle of one.
  private func fewest(_ bucket: MountedBucket, _ body: () throws -> Void) throws -> [String: Int] {
    var best = try counted(bucket, body)
    for _ in 1...5 {
      let next = try counted(bucket, body)
      if next.values.reduce(0, +) < best.values.reduce(0, +) { best = next }
    }
    return best
  }

  /// The requests that `body` makes, reading the status aside: it is a probe and a read.
  private func counted(_ bucket: MountedBucket, _ body: () throws -> Void) throws -> [String: Int] {
    let before = try requests(bucket)
    try body()
    var difference = try requests(bucket).merging(before) { $0 - $1 }.filter { $0.value != 0 }
    difference["getxattr", default: 0] -= 2
    // When the kernel forgets is its own affair.
    for kind in ["forget", "batchForget"] { difference[kind] = nil }
    return difference.filter { $0.value != 0 }
  }

  @Test func statusThatIsCachedCostsNothing() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("text")
      _ = try file.status()
      #expect(try fewest(bucket) { for _ in 1...20 { _ = try file.status() } }.isEmpty)
    }
  }

  @Test func anAttributeCostsOneRequest() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("text")
      try file.set("contentType", "text/x-one")
      var value = [UInt8](repeating: 0, count: 100)
      let name = Array("user.contentType".utf8)
      #expect(try fewest(bucket) { _ = try file.getAttribute(name, into: &value) } == ["getxattr": 1])
      #expect(try fewest(bucket) { _ = try file.listAttributes(into: &value) } == ["listxattr": 1])
      #expect(try fewest(bucket) { try file.set("contentType", "text/x-two") } == ["setxattr": 1])
      #expect(
        try fewest(bucket) {
          try file.set("contentType", "text/x-two")
          try file.remove("contentType")
        } == ["setxattr": 1, "removexattr": 1])
    }
  }

  @Test func openingReadingAndClosingCostsTwo() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("text")
      _ = try file.text()
      let count = try fewest(bucket) {
        let open = try OpenFile(file)
        _ = try open.read(4)
        try open.close()
        // The release comes after the close.
        usleep(100_000)
      }
      #expect(count == ["open": 1, "release": 1], "with passthrough, which root's mount on a local filesystem has")
    }
  }

  @Test func aNewFileCostsFew() throws {
    try MountedBucket.with { bucket in
      let count = try fewest(bucket) {
        for number in 1...10 {
          let file = bucket / "f\(number)"
          let open = try OpenFile(file, O_WRONLY | O_CREAT | O_EXCL)
          try open.write("text")
          try open.close()
          try file.unlink()
        }
        usleep(100_000)
      }
      #expect(count["create"] == 10)
      #expect(count["unlink"] == 10)
      // Besides these a lookup, the kernel's question for capabilities at the first write, the folder's attributes,
      // which the kernel forgets at each change of it, twice, and the release.
      #expect(count.values.reduce(0, +) <= 70, "\(count)")
    }
  }

  @Test func aLongListCostsNothingForEachEntryTheSecondTime() throws {
    try MountedBucket.with { bucket in
      try Shell.expect("mkdir d; cd d; seq 1000 | xargs touch", in: bucket.backing)
      try Shell.expect("ls -l d >/dev/null", in: bucket.mountpoint)
      let count = try fewest(bucket) { try Shell.expect("ls -l d >/dev/null", in: bucket.mountpoint) }
      // The folder's opening and closing, and a label that ls asks for once.
      #expect(count.values.reduce(0, +) <= 3, "for 1,000 entries: \(count)")
    }
  }
}
