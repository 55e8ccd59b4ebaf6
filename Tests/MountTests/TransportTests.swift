import CTestSupport
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Requests by the kernel's rings, FUSE over io_uring. The rest of the suite runs over them by
/// BUCKETFS_TEST_TRANSPORT=uring.
@Suite(.serialized, .enabled(if: KernelRings.canBeOffered)) struct TransportTests {
  private static let uring = MountOptions(["transport=uring"])

  /// How many rings the daemon has.
  private func rings(of bucket: MountedBucket) throws -> Int {
    let folder = Path("/proc/\(bucket.pid)/fd")
    return try folder.entries().count { name in
      (try? Shell.run(["readlink", "\(folder)/\(name)"]).text.contains("io_uring")) == true
    }
  }

  private func use(_ bucket: MountedBucket) throws {
    let file = bucket / "f.html"
    try file.write("content")
    try file.set("location", "here")
    #expect(try file.text() == "content")
    #expect(try file.attribute("location") == "here")
    #expect(try file.attribute("contentType") == "text/html")
    #expect(try file.attribute("md5Hash") == "mgNkuembtIDdJeHwKEyFVQ==")
    try file.unlink()
  }

  @Test func autoTakesTheRingsThatTheKernelOffers() throws {
    try KernelRings.with {
      try MountedBucket.with(MountOptions(["transport=auto"])) { bucket in
        #expect(try rings(of: bucket) > 0)
        try use(bucket)
      }
      try MountedBucket.with(MountOptions(["transport=dev"])) { bucket in
        #expect(try rings(of: bucket) == 0)
        try use(bucket)
      }
    }
  }

  @Test func whereTheKernelOffersNoneAutoDoesWithoutAndUringIsRefused() throws {
    guard !KernelRings.areOffered else { return }
    try MountedBucket.with(MountOptions(["transport=auto"])) { bucket in
      #expect(try rings(of: bucket) == 0)
      try use(bucket)
    }
    #expect(throws: MountFailure.self) { try MountedBucket.with(Self.uring) { _ in } }
  }

  /// The kernel cannot use such an entry and gives it back at once, by the way of requests that are answered.
  @Test(arguments: ["dev", "uring"]) func aFolderThatCameToLieInItsOwnPartIsListed(transport: String) throws {
    try KernelRings.with {
      try MountedBucket.with(MountOptions(["transport=\(transport)"])) { bucket in
        try Shell.expect("mkdir -p above/below; touch above/below/file", in: bucket.backing)
        let outcome = try Shell.run(
          [
            "python3", "-c",
            """
            import os, sys
            below = os.open("above/below", os.O_RDONLY)
            os.stat("above/below/file")
            os.rename(sys.argv[1] + "/above/below", sys.argv[1] + "/below")
            os.rename(sys.argv[1] + "/above", sys.argv[1] + "/below/above")
            print(sorted(os.listdir(below)), sorted(os.listdir(below)))
            """, bucket.backing.description,
          ], in: bucket.mountpoint, timeout: 20)
        #expect(outcome.text == "['above', 'file'] ['above', 'file']", "\(outcome)")
        try use(bucket)
      }
    }
  }

  @Test(arguments: ["dev", "uring"]) func anAttributeAsLargeAsTheyGetComesWhole(transport: String) throws {
    try KernelRings.with {
      try MountedBucket.with(MountOptions(["transport=\(transport)"])) { bucket in
        let file = bucket / "f"
        try file.write("text")
        let entries = (0..<3).map { "\"key\($0)\":\"\(String(repeating: "x", count: 2000))\"" }.joined(separator: ",")
        let json = "{\"customMetadata\":{\(entries)}}" + String(repeating: " ", count: 50_000)
        try file.set("bucketfs.update", json)
        #expect(try file.attribute("key2").utf8.count == 2000)
        let list = String(repeating: "x", count: 65_536)
        #expect(throws: Errno.self) { try file.setAttribute(Array("user.large".utf8), Array(list.utf8), flags: 0) }
        #expect(try file.attributeNames().count == 3)
      }
    }
  }

  @Test func aMountGoesOnWhenTheKernelOffersRingsNoLonger() throws {
    try KernelRings.with {
      try MountedBucket.with(Self.uring) { bucket in
        let before = KernelRings.areOffered
        KernelRings.areOffered = false
        defer { KernelRings.areOffered = before }
        try use(bucket)
        #expect(bucket.signal(SIGTERM) == 0)
        try bucket.mount(MountOptions(["transport=auto"]))
        try use(bucket)
      }
    }
  }

  @Test(arguments: [SIGTERM, SIGKILL]) func aSignalUnderLoadLeavesAMountpointThatCanBeUsedAgain(signal: Int32) throws {
    try KernelRings.with {
      try MountedBucket.with(Self.uring) { bucket in
        let load = try (0..<4).map { number in
          try Program(
            ["bash", "-c", "while :; do echo x > l\(number); setfattr -n user.a -v b l\(number); rm l\(number); done"],
            in: bucket.mountpoint)
        }
        usleep(300_000)
        #expect(bucket.signal(signal) == (signal == SIGKILL ? 128 + SIGKILL : 0))
        for program in load {
          kill(-program.pid, SIGKILL)
          _ = program.wait(seconds: 5)
        }
        try bucket.mount(Self.uring)
        try use(bucket)
      }
    }
  }

  @Test func anAbortedConnectionEndsTheDaemon() throws {
    try KernelRings.with {
      try MountedBucket.with(Self.uring) { bucket in
        // The connection's number is the minor of its device, and its files are in a filesystem of their own.
        let device = UInt64(try Shell.expect("stat -c %d \(bucket.mountpoint)").filter(\.isNumber)) ?? 0
        let control = bucket.mountpoint.folder / "control"
        try control.makeFolder()
        try Shell.expect("mount -t fusectl none \(control)")
        defer { _ = Mounts.unmount(control) }
        try (control / Path("\(device & 0xff | device >> 12 & 0xfff00)/abort")).write("1")
        bucket.unmount()
      }
    }
  }

  @Test func whatIsMadeBelongsToTheCallerByItsUmask() throws {
    try KernelRings.with {
      try MountedBucket.with(Self.uring) { bucket in
        try bucket.backing.changeMode(0o777)
        try Caller(user: 65534, umask: 0o027).run {
          try (bucket / "f").write("x")
          try (bucket / "d").makeFolder(mode: 0o777)
        }
        try (bucket / "root").write("x")
        let file = try (bucket.backing / "f").status()
        #expect(file.owner == 65534 && file.mode & 0o777 == 0o640)
        #expect(try (bucket.backing / "d").status().mode & 0o777 == 0o750)
        #expect(try (bucket.backing / "root").status().owner == 0)
      }
    }
  }

  @Test func manyAnswersThatTakeLongHoldUpNobody() throws {
    try KernelRings.with {
      try MountedBucket.with(Self.uring) { bucket in
        try (bucket.backing / "large").write("")
        try (bucket.backing / "large").truncate(to: 1 << 42)
        // More than a ring has entries at first.
        let askers = try (0..<24).map { _ in
          try Program(["getfattr", "-n", "user.md5Hash", "\(bucket / "large")"])
        }
        usleep(300_000)
        for _ in 0..<50 { try use(bucket) }
        for asker in askers {
          asker.signal(SIGKILL)
          #expect(asker.wait(seconds: 10) != nil)
        }
        try use(bucket)
      }
    }
  }

  @Test func dataThatGoesThroughTheDaemonIsWhole() throws {
    try KernelRings.with {
      // Without its capabilities the daemon has no passthrough.
      try MountedBucket.with(MountOptions(["transport=uring"], caller: .nobody)) { bucket in
        try Caller.nobody.run {
          let content = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
          try (bucket / "data").write(bytes: content)
          let file = try OpenFile(bucket / "data", O_RDWR)
          #expect(fsync(file.number) == 0)
          try file.close()
        }
        let content = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        #expect(try (bucket.backing / "data").read() == content)
        let seen = try Caller.nobody.run { try (bucket / "data").read() }
        #expect(seen == content)
      }
    }
  }

  // The sanitizers reserve address space without end.
  @Test(.disabled(if: Effort.isSanitized))
  func withoutMemoryForRingsAutoGoesOnWithoutAndUringIsRefused() throws {
    try KernelRings.with {
      var options = MountOptions(["transport=auto,uring_depth=256"])
      options.addressSpace = try Self.leastAddressSpace() + (48 << 20)
      // The entries of all rings, as many as there may be, take 64 MB.
      try MountedBucket.with(options) { bucket in
        #expect(try rings(of: bucket) == 0)
        #expect(bucket.log.split(separator: "\n").count { $0.contains("the system gives no rings") } == 1)
        try use(bucket)
      }
      options.options = ["transport=uring,uring_depth=256"]
      #expect(throws: MountFailure.self) { try MountedBucket.with(options) { _ in } }
    }
  }

  /// Bytes of address space with which a mount without rings comes up, which depends on the build. With less the daemon
  /// must end by itself.
  private static func leastAddressSpace() throws -> Int {
    var options = MountOptions(["transport=dev"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    for megabytes in stride(from: 32, to: 1024, by: 8) {
      options.addressSpace = megabytes << 20
      do {
        try MountedBucket.with(options) { _ in }
        return megabytes << 20
      } catch let failure as MountFailure {
        #expect(failure.status != nil, "with \(megabytes) MB the daemon neither serves nor ends")
      }
    }
    Issue.record("no mount comes up with 1 GB of address space")
    return 1 << 30
  }

  @Test func aProcessorMayGoAwayAndComeBack() throws {
    let switches = try Path("/sys/devices/system/cpu").entries()
      .map { Path("/sys/devices/system/cpu/\($0)/online") }.filter(\.exists)
    // The first processor, and the only one of a small machine, has no switch.
    guard let last = switches.max(by: { $0.description < $1.description }) else { return }
    try KernelRings.with {
      try MountedBucket.with(Self.uring) { bucket in
        defer { try? last.write("1") }
        let load = try Program(
          ["bash", "-c", "while :; do echo x > l && setfattr -n user.a -v b l && rm l || exit 1; done"],
          in: bucket.mountpoint)
        for _ in 0..<3 {
          try last.write("0")
          try use(bucket)
          try last.write("1")
          try use(bucket)
        }
        #expect(load.wait(seconds: 0.1) == nil)
        kill(-load.pid, SIGKILL)
        _ = load.wait(seconds: 5)
        // A mount that is made and one that ends while it is away.
        try last.write("0")
        #expect(bucket.signal(SIGTERM) == 0)
        try bucket.mount(Self.uring)
        try last.write("1")
        try use(bucket)
      }
    }
  }
}
