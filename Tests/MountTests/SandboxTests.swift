import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// What the daemon has given up once it serves, and who takes the mount away instead.
@Suite struct SandboxTests {
  /// The lines of a `status` in /proc, by their names.
  private func facts(_ path: String) throws -> [String: String] {
    let lines = try Path(path).text().split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
    return Dictionary(
      lines.map { (String($0[0]), $0.count > 1 ? $0[1].drop { $0 == "\t" }.description : "") }, uniquingKeysWith: { $1 }
    )
  }

  private func hexadecimal(_ text: String?) -> UInt64 {
    text.flatMap { UInt64($0, radix: 16) } ?? .max
  }

  /// What follows `"name":` in the daemon's report, up to a comma outside of brackets.
  private func reported(_ name: String, of bucket: MountedBucket, to caller: Caller? = nil) throws -> String {
    let status = try (caller ?? .root).run { try bucket.mountpoint.attribute("bucketfs.status") }
    let start = try #require(status.firstRange(of: "\"\(name)\":"), "\(status)").upperBound
    let rest = status[start...]
    return String(rest.hasPrefix("[") ? rest.prefix { $0 != "]" } + "]" : rest.prefix { !",}".contains($0) })
  }

  private func unmounter(of bucket: MountedBucket, to caller: Caller? = nil) throws -> pid_t {
    try #require(pid_t(try reported("unmounter", of: bucket, to: caller)))
  }

  private func expectSoon(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
  ) {
    for _ in 0..<1000 {
      if condition() { return }
      usleep(5_000)
    }
    Issue.record("\(what): not within 5 seconds", sourceLocation: sourceLocation)
  }

  private static let bits: [(name: String, bit: UInt64)] = [
    ("chown", 0), ("dac_override", 1), ("dac_read_search", 2), ("fowner", 3), ("fsetid", 4), ("setgid", 6),
    ("setuid", 7), ("linux_immutable", 9), ("sys_admin", 21),
  ]

  @Test(arguments: [MountOptions(), MountOptions(["watch=auto"]), MountOptions(caller: .nobody)])
  func theProcessHasWhatItReportsAndNothingElse(options: MountOptions) throws {
    try MountedBucket.with(options) { bucket in
      #expect(try reported("pid", of: bucket, to: options.caller) == "\(bucket.pid)")
      #expect(try reported("landlock", of: bucket, to: options.caller) == "\(min(7, LandlockRules.kernelVersion))")
      #expect(try reported("noNewPrivileges", of: bucket, to: options.caller) == "true")
      let names = try reported("capabilities", of: bucket, to: options.caller)
      var expected: UInt64 = 0
      for (name, bit) in Self.bits where names.contains("\"\(name)\"") { expected |= 1 << bit }
      #expect(!names.contains("others"))
      #expect(names.contains("dac_read_search") == options.options.contains("watch=auto"))
      if options.caller != nil { #expect(names == "[]") }
      for thread in try Path("/proc/\(bucket.pid)/task").entries() {
        let facts = try facts("/proc/\(bucket.pid)/task/\(thread)/status")
        #expect(facts["NoNewPrivs"] == "1")
        #expect(hexadecimal(facts["CapPrm"]) == expected)
        #expect(hexadecimal(facts["CapEff"]) & ~expected == 0)
        #expect(facts["CapInh"] == "0000000000000000" && facts["CapAmb"] == "0000000000000000")
        if options.caller == nil { #expect(hexadecimal(facts["CapBnd"]) == expected) }
      }
      let helper = try unmounter(of: bucket, to: options.caller)
      let held = try Path("/proc/\(helper)/fd").entries().count
      #expect(held == 5, "three streams to nowhere and two pipes")
      if options.caller == nil {
        let facts = try facts("/proc/\(helper)/status")
        #expect(facts["NoNewPrivs"] == "1")
        #expect(facts["CapPrm"] == "0000000000200004", "sys_admin and dac_read_search")
      }
      for open in try Path("/proc/\(bucket.pid)/fd").entries() {
        let target = try? Shell.expect("readlink /proc/\(bucket.pid)/fd/\(open)")
        #expect(target?.contains("socket") != true)
      }
      let text = try Shell.run([MountedBucket.executable, "status", bucket.mountpoint.description], as: options.caller)
      #expect(text.text.contains("sandbox.landlock") && text.text.contains("sandbox.capabilities"), "\(text)")
    }
  }

  @Test func withoutTheSandboxNothingIsGivenUp() throws {
    try MountedBucket.with(MountOptions(["sandbox=off"], arguments: ["--log-level", "info"])) { bucket in
      #expect(try reported("landlock", of: bucket) == "0")
      #expect(try reported("noNewPrivileges", of: bucket) == "false")
      let process = try facts("/proc/\(bucket.pid)/status")
      #expect(process["NoNewPrivs"] == "0")
      #expect(bucket.log.contains("the daemon is not confined"))
    }
    try MountedBucket.with(MountOptions(arguments: ["--log-level", "info"])) { bucket in
      #expect(bucket.log.contains("no new privileges, capabilities: chown, "), "\(bucket.log)")
    }
  }

  @Test(.enabled(if: LandlockRules.kernelVersion >= 2)) func nothingOutsideIsReachedFromInside() throws {
    try TemporaryDirectory.with { folder in
      let (inside, outside) = (folder / "inside", folder / "outside")
      for place in [inside, outside] {
        try place.makeFolder()
        try (place / "f").write("text")
      }
      let place = try System.open(Array("\(inside)".utf8).span, in: .workingDirectory, [.path])
      // On a thread of its own, which alone is confined.
      try Caller.root.run {
        try System.giveUpNewPrivileges()
        let rules = try LandlockRules(abstractSockets: false)
        try rules.allow([.readFile, .readFolder, .writeFile, .makeFile, .refer], to: place.descriptor)
        try rules.enter()
        #expect(try (inside / "f").text() == "text")
        try (inside / "g").write("text")
        #expect(throws: Errno.permissionDenied) { try (outside / "f").text() }
        #expect(throws: Errno.permissionDenied) { try (outside / "g").write("text") }
        #expect(throws: Errno.permissionDenied) { try outside.entries() }
        #expect(throws: Errno.permissionDenied) { try (outside / "f").unlink() }
        #expect(throws: Errno.permissionDenied) { try Path("/etc/passwd").text() }
      }
      #expect(try outside.entries() == ["f"])
    }
  }

  /// The daemon still has the file's descriptor, and only the sandbox stands between.
  @Test(.enabled(if: LandlockRules.kernelVersion >= 2), arguments: ["auto", "off"])
  func whatIsMovedOutOfTheBucketIsOutOfReach(sandbox: String) throws {
    try MountedBucket.with(MountOptions(["sandbox=\(sandbox)"])) { bucket in
      try (bucket / "f").write("text")
      _ = try (bucket / "f").status()
      let away = bucket.backing.sibling("away")
      try (bucket.backing / "f").rename(to: away)
      let answer = try? (bucket / "f").text()
      #expect(answer == (sandbox == "off" ? "text" : nil))
      #expect(try away.text() == "text")
    }
  }

  @Test func everyKindOfWorkIsDoneInside() throws {
    try TemporaryDirectory.with { folder in
      try Shell.expect("mkdir -p real/bucket/other; ln -s real link; mount -t tmpfs x real/bucket/other", in: folder)
      defer { umount2("\(folder / "real/bucket/other")", Int32(MNT_DETACH)) }
      try MountedBucket.with(at: folder / "link/bucket") { bucket in
        let outcome = try Shell.bash(
          """
          set -e
          for d in . other; do (
            cd $d; mkdir a b; echo text >a/f; mv a/f b/f; ln b/f a/g; ln -s f b/l; mkfifo a/p
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("a/s")'
            mv a/p b; mv a b/a; truncate -s 2 b/f; cat b/a/g; setfattr -n user.k -v v b/f; rm b/a/s; rm -r b/a
            echo more >>b/f; cp --reflink=never b/f c; rm c; rm b/p b/l b/f; rmdir b
          ) done
          """, in: bucket.mountpoint)
        #expect(outcome.isClean, "\(outcome)")
        // And one that is mounted while it serves.
        try (bucket.backing / "late").makeFolder()
        try Shell.expect("mount -t tmpfs x late; echo text >late/f", in: bucket.backing)
        defer { umount2("\(bucket.backing / "late")", Int32(MNT_DETACH)) }
        #expect(try (bucket / "late/f").text() == "text\n")
        try (bucket / "late/g").write("text")
      }
    }
  }

  enum Ending: CaseIterable {
    case terminate, interrupt, kill, crash, unmount, lazyUnmount
  }

  @Test(arguments: Ending.allCases, [nil, Caller.nobody])
  func theMountIsGoneAfterEachEnding(ending: Ending, caller: Caller?) throws {
    // A crash is to be one at once.
    let options = MountOptions(caller: caller, environment: ["SWIFT_BACKTRACE": "enable=no"])
    try MountedBucket.with(options) { bucket in
      let helper = try unmounter(of: bucket, to: caller)
      // Whoever uses it does not keep it.
      let open = try (caller ?? .root).run {
        try (bucket / "f").write("text")
        return ending == .unmount ? nil : try OpenFile(bucket / "f")
      }
      switch ending {
      case .terminate: #expect(bucket.signal(SIGTERM) == 0)
      case .interrupt: #expect(bucket.signal(SIGINT) == 0)
      case .kill: #expect(bucket.signal(SIGKILL) == 128 + SIGKILL)
      case .crash: #expect(bucket.signal(SIGABRT) == 128 + SIGABRT)
      case .unmount: bucket.unmount()
      case .lazyUnmount: umount2("\(bucket.mountpoint)", Int32(MNT_DETACH))
      }
      try open?.close()
      expectSoon("the mount is gone") { Mounts.types(at: bucket.mountpoint).isEmpty }
      expectSoon("its process has ended") { kill(helper, 0) != 0 }
      #expect(try bucket.mountpoint.entries() == [])
    }
  }

  @Test func withoutItsUnmounterTheMountGoesOn() throws {
    try MountedBucket.with { bucket in
      try kill(unmounter(of: bucket), SIGKILL)
      try (bucket / "f").write("text")
      #expect(try (bucket / "f").text() == "text")
      bucket.unmount()
      try bucket.mount()
      try kill(unmounter(of: bucket), SIGKILL)
      #expect(bucket.signal(SIGTERM) == 0)
      // What stays is dead, and the next mount takes it away.
      #expect(Mounts.types(at: bucket.mountpoint) == ["fuse.bucketfs"])
      try bucket.mount()
      #expect(try (bucket / "f").text() == "text")
    }
  }

  @Test func anUnmounterLeavesTheNextMountAlone() throws {
    try MountedBucket.with { bucket in
      let helper = try unmounter(of: bucket)
      kill(helper, SIGSTOP)
      #expect(bucket.signal(SIGKILL) == 128 + SIGKILL)
      try bucket.mount()
      kill(helper, SIGCONT)
      expectSoon("the old one has ended") { kill(helper, 0) != 0 }
      try (bucket / "f").write("text")
      #expect(Mounts.types(at: bucket.mountpoint) == ["fuse.bucketfs"])
    }
  }
}
