import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("Several processes", .serialized)
struct ProcessTests {
  @Test("lose no change of one object: four of them, 500 changes each")
  func noLostUpdate() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      let workers = try (0..<4).map { id in
        try Program([MountedBucket.worker, "count", bucket.path.description, "a", "id-\(id)", "500"])
      }
      for worker in workers {
        #expect(worker.wait(seconds: 60) == 0, "\(worker.standardError)")
      }
      for id in 0..<4 { #expect(try object.value("id-\(id)") == "500") }
      #expect(try object.value("all") == "2000")
      #expect(try object.version().metageneration == 2001)
    }
  }

  @Test("threads of one process lose none either")
  func threads() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      let left = Mutex(8)
      for _ in 0..<8 {
        try System.startThread {
          for _ in 0..<100 {
            try? object.change { record in
              let count = record.customValue([1].span).map { Int(String(decoding: $0, as: UTF8.self))! } ?? 0
              record.setCustom(CustomEntry(key: [1], value: Array("\(count + 1)".utf8)))
            }
          }
          left.withLock { $0 -= 1 }
        }
      }
      for _ in 0..<3000 where left.withLock({ $0 }) > 0 { usleep(10_000) }
      #expect(try object.record()?.customValue([1].span) == Array("800".utf8))
      #expect(try object.version().metageneration == 801)
    }
  }

  @Test("wait for each other's lock, and give up with EBUSY")
  func busy() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      try object.set("k", "v")
      // Another open file of the lock is another process to the kernel.
      let lock = bucket.path / ".bucketfs/lock"
      let other = try System.open(lock.bytes.span, in: .workingDirectory, .readWrite)
      let byte = ObjectLocks.byte(of: try System.status(of: object.descriptor))
      #expect(try System.tryLockByte(Int64(byte), of: other.descriptor))
      try System.startThread { [descriptor = other.descriptor] in
        System.sleep(nanoseconds: 200_000_000)
        System.unlockByte(Int64(byte), of: descriptor)
      }
      try object.set("k", "w")
      #expect(try System.tryLockByte(Int64(byte), of: other.descriptor))
      let start = Clock.monotonic
      #expect(throws: ChangeError<Never>.self) { try object.set("k", "x") }
      #expect(Clock.monotonic - start >= 10_000_000_000)
      #expect(Errno(StoreError.locked) == .resourceBusy)
      #expect(try object.value("k") == "w")
    }
  }

  @Test("find every object in its old or its new state when they are killed, 300 times")
  func killed() throws {
    try TestBucket.with { bucket in
      for index in 0..<8 { _ = try bucket.make("object-\(index)") }
      var random = SystemRandomNumberGenerator()
      /// By object, what a worker has begun last and what it has done last.
      var begun: [String: Int] = [:]
      var done: [String: Int] = [:]
      for round in 0..<300 {
        let worker = try Program([MountedBucket.worker, "crash", bucket.path.description, "\(round * 1_000_000)"])
        // Until its first change; then for anything from nothing to some dozen.
        for _ in 0..<2000 where worker.standardOutput.isEmpty { usleep(1000) }
        usleep(UInt32.random(in: 0...20_000, using: &random))
        worker.signal(SIGKILL)
        #expect(worker.wait(seconds: 10) == 137)
        for line in String(decoding: worker.standardOutput, as: UTF8.self).split(separator: "\n") {
          let words = line.split(separator: " ")
          let name = words[1].first == "p" ? "\(words[1])" : "object-\(words[1])"
          if words[0] == "begin" { begun[name] = Int(words[2]) } else { done[name] = Int(words[2]) }
        }
        for name in begun.keys { done[name] = try check(bucket, name, begun[name]!, done[name]) }
        for name in begun.keys where name.hasPrefix("plain") {
          try (bucket.path / Path(name)).unlink()
          begun[name] = nil
          done[name] = nil
        }
      }
      #expect(done.count == 8)
    }
  }

  /// Returns the number of the change that is there.
  private func check(_ bucket: TestBucket, _ name: String, _ begun: Int, _ done: Int?) throws -> Int? {
    let object = try bucket.object(Path(name))
    let record = try object.metadata()
    if name.hasPrefix("plain") {
      #expect(try object.value("kept") == "plain")
      let isGone = try object.value("gone") == nil
      #expect(isGone || done == nil, "\(name) was acknowledged")
      #expect(record.metageneration == (isGone ? 2 : 1))
      return isGone ? 1 : nil
    }
    let number = try object.value("number").map { Int($0)! }
    #expect(
      number == begun || number == done, "\(name): \(String(describing: number)), begun \(begun), done \(done ?? 0)")
    guard let number else { return nil }
    let load = Int(UInt64(number) &* 2_654_435_761 % 3900)
    for part in 0..<2 { #expect(try object.value("load-\(part)")?.utf8.count == load) }
    #expect(record.custom.count == 3)
    return number
  }

  @Test("leave the old state wherever a system call of a change fails", arguments: [nil, .xfs] as [BackingFileSystem?])
  func faults(_ kind: BackingFileSystem?) throws {
    if let kind {
      try kind.with { try walkFaults(in: TestBucket(at: $0)) }
    } else {
      try TestBucket.with(walkFaults)
    }
  }

  private func walkFaults(in bucket: TestBucket) throws {
    let worker = try Program([MountedBucket.worker, "faults", bucket.path.description])
    #expect(worker.wait(seconds: 120) == 0, "\(worker.standardError)")
    let output = String(decoding: worker.standardOutput, as: UTF8.self)
    let lines = output.split(separator: "\n")
    #expect(lines.count == 1, "\(output)")
    let walked = lines.last?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    #expect(walked > 100)
  }
}
