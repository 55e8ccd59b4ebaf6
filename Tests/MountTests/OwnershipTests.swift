import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Whose files they are, who may do what, and how full the disk may get.
@Suite struct OwnershipTests {
  @Test func aSupplementaryGroupIsEnough() throws {
    try MountedBucket.with { bucket in
      let folder = bucket / "shared"
      try folder.makeFolder()
      try folder.changeOwner(0, 4003)
      try folder.changeMode(0o770)
      let member = Caller(user: 4001, group: 4002, groups: [4003])
      try member.run {
        try (folder / "f").write("x")
        try (folder / "d").makeFolder()
        try (folder / "link").makeSymbolicLink(to: "f")
        try (folder / "fifo").makeFIFO()
        try (folder / "f").rename(to: folder / "g")
        try (folder / "g").set("location", "here")
      }
      for name: Path in ["g", "d", "link", "fifo"] {
        let status = try (bucket.backing / "shared" / name).status()
        #expect(status.owner == 4001 && status.group == 4002, "\(name)")
      }
      #expect(throws: Errno.permissionDenied) {
        try Caller(user: 4001, group: 4002).run { try (folder / "h").write("x") }
      }
    }
  }

  @Test(arguments: 1...5)
  func whatManyUsersMakeAtOnceBelongsToEachFromAFreshMountOn(round: Int) throws {
    try MountedBucket.with { bucket in
      try bucket.mountpoint.changeMode(0o777)
      // The daemon starts its threads while it serves the first of these, each as somebody else.
      let outcome = try Shell.bash(
        """
        make='for i in $(seq 30); do mkdir "$0.$i"; : >"$0.$i/f"; done'
        for n in $(seq 6); do
          setpriv --reuid 4001 --regid 4002 --clear-groups bash -c "$make" "user.$n" &
          bash -c "$make" "root.$n" &
        done
        wait
        find . -path './user*' ! '(' -uid 4001 -gid 4002 ')' -o -path './root*' ! '(' -uid 0 -gid 0 ')'
        """, in: bucket.mountpoint)
      #expect(outcome.isClean && outcome.output.isEmpty, "\(outcome)")
    }
  }

  /// Makes one of each kind as a user with `umask`, and tells of their modes and owners.
  private func made(in folder: Path, umask: UInt32) throws -> [String] {
    let caller = Caller(user: 4001, group: 4002, umask: umask)
    let outcome = try Shell.bash(
      "touch f; mkdir d; mkfifo p; ln -s f l; mknod n p; python3 -c 'import os; os.open(\"e\", os.O_CREAT, 0o777)'",
      as: caller, in: folder)
    #expect(outcome.isClean, "\(outcome)")
    return try Shell.expect("for i in f d p l n e; do stat -c '%n %a %u %g' $i; done; getfacl -p f d e", in: folder)
      .split(separator: "\n").map(String.init)
  }

  @Test(arguments: [0o022, 0o027, 0o077, 0o000] as [UInt32])
  func theUmaskActsAsInTheBackingDirectory(umask: UInt32) throws {
    try MountedBucket.with { bucket in
      for name: Path in ["native", "mounted"] {
        try (bucket / name).makeFolder()
        try (bucket / name).changeMode(0o777)
      }
      #expect(
        try made(in: bucket / "mounted", umask: umask) == made(in: bucket.backing / "native", umask: umask))
    }
  }

  @Test func aDefaultACLActsOnceAndAsInTheBackingDirectory() throws {
    try MountedBucket.with { bucket in
      for name: Path in ["native", "mounted"] {
        try (bucket / name).makeFolder()
        try (bucket / name).changeMode(0o777)
        try Shell.expect("setfacl -d -m u:4005:rwx,g::rx,o::- \(name)", in: bucket.mountpoint)
      }
      let mounted = try made(in: bucket / "mounted", umask: 0o027)
      #expect(try mounted == made(in: bucket.backing / "native", umask: 0o027))
      #expect(mounted.contains { $0.hasPrefix("user:4005:rwx") })
    }
  }

  @Test func anACLGrantsWhatItSays() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.changeMode(0o600)
      #expect(throws: Errno.permissionDenied) { try Caller.nobody.run { try file.text() } }
      try Shell.expect("setfacl -m u:65534:r f", in: bucket.mountpoint)
      #expect(try Caller.nobody.run { try file.text() } == "x")
      #expect(
        try Shell.expect("getfacl -p f | grep -v '^#'", in: bucket.mountpoint)
          == Shell.expect("getfacl -p f | grep -v '^#'", in: bucket.backing))
    }
  }

  /// As in the backing directory: the caller's groups decide, the supplementary ones included, and not the daemon's.
  @Test(arguments: [
    Caller(user: 4001, group: 4002, groups: [4003]), Caller(user: 4001, group: 4003), Caller(user: 4001, group: 4002),
    .root,
  ])
  func settingAnACLKeepsSetgidWhereTheCallerIsInTheGroup(caller: Caller) throws {
    try MountedBucket.with { bucket in
      var states: [String] = []
      for folder in [bucket.mountpoint, bucket.backing] {
        for group in [4003, 4009, 0] as [UInt32] {
          let name = Path("\(folder == bucket.backing ? "native" : "mounted")-\(group)")
          let part = bucket.backing / name
          try part.makeFolder()
          try part.changeOwner(4001, group)
          try part.changeMode(0o2775)
          let change = "setfacl -m u:4005:rwx \(name); setfacl -m u:4006:r \(name)"
          let outcome = try Shell.bash(change, as: caller, in: folder)
          #expect(outcome.isClean, "\(outcome)")
          states.append("\(group) \(String(try part.status().mode, radix: 8))")
        }
      }
      #expect(states.prefix(3) == states.suffix(3))
      #expect(states[0].hasSuffix("2775") == (caller.user == 0 || caller.group == 4003 || caller.groups == [4003]))
    }
  }

  @Test func cpKeepsTheMode() throws {
    try MountedBucket.with { bucket in
      try Shell.expect("echo x > f; chmod 640 f; cp -p f g", in: bucket.mountpoint)
      #expect(try (bucket / "g").status().permissions == 0o640)
      #expect(try (bucket.backing / "g").status().permissions == 0o640)
    }
  }

  @Test func aFileThatNobodyMayWriteTakesMetadataFromRootAlone() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.changeMode(0o444)
      try file.set("location", "here")
      #expect(throws: Errno.permissionDenied) { try Caller.nobody.run { try file.set("location", "there") } }
      try Shell.expect(
        "mkdir d; tar --xattrs -cf d/t.tar f; tar --xattrs --xattrs-include='user.*' -xf d/t.tar -C d",
        in: bucket.mountpoint)
      #expect(try (bucket / "d/f").attribute("location") == "here")
      #expect(try (bucket / "d/f").status().permissions == 0o444)
    }
  }

  @Test func theOwnerOfAFileThatHeMayNotWriteIsRefusedToo() throws {
    try MountedBucket.with { bucket in
      let file = bucket / "f"
      try file.write("x")
      try file.changeOwner(4001, 4001)
      try file.changeMode(0o444)
      #expect(throws: Errno.permissionDenied) { try Caller(user: 4001).run { try file.set("location", "here") } }
    }
  }

  /// Writes `path` until ENOSPC. Returns the bytes written.
  private func fill(_ path: Path) throws(Errno) -> Int {
    let file = try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
    let block = [UInt8](repeating: 1, count: 64 << 10)
    var written = 0
    while true {
      do throws(Errno) {
        written += try file.write(bytes: block)
      } catch {
        guard error == .noSpace else { throw error }
        return written
      }
    }
  }

  /// How many bytes a user writes below `folder` before ENOSPC.
  private func capacity(of folder: Path, for caller: Caller) throws -> Int {
    try folder.changeMode(0o777)
    let total = try caller.run { try fill(folder / "full") }
    try (folder / "full").unlink()
    try Shell.expect("sync -f .", in: folder)
    return total
  }

  @Test func anOrdinaryUserStopsAtTheReservedBlocks() throws {
    try BackingFileSystem.ext4.with(megabytes: 64, makeOptions: ["-m", "20", "-E", "lazy_itable_init=0"]) { disk in
      try MountedBucket.with(at: disk / "bucket") { bucket in
        let user = Caller(user: 4001)
        let native = try capacity(of: bucket.backing, for: user)
        #expect(try capacity(of: bucket.backing, for: user) == native, "the filesystem itself varies")
        #expect(try capacity(of: bucket.mountpoint, for: user) == native)
        #expect(try capacity(of: bucket.backing, for: .root) > native)
        #expect(try capacity(of: bucket.mountpoint, for: user) == native)
      }
    }
  }
}
