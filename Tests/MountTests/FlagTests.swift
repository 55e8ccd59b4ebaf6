import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// chattr and lsattr, as in the backing directory.
@Suite struct FlagTests {
  @Test func flagsAreShownAndSetAsInTheBackingDirectory() throws {
    try MountedBucket.with(on: .ext4) { bucket in
      try Shell.expect(
        """
        echo x >f; mkdir d; chattr +dA f; chattr +d d
        lsattr f | cut -c1-22; lsattr -d d | cut -c1-22
        """, in: bucket.mountpoint)
      let shown = try [bucket.mountpoint, bucket.backing].map {
        try Shell.expect("lsattr f; lsattr -d d", in: $0)
      }
      #expect(shown[0] == shown[1])
      #expect(shown[0].contains("dA"))
    }
  }

  @Test func anImmutableFileIsRefusedAsInTheBackingDirectory() throws {
    try MountedBucket.with(on: .ext4) { bucket in
      let file = bucket / "f"
      try file.write("kept")
      try file.changeOwner(65534, 65534)
      // Who may not set it in the backing directory may not set it here.
      for place in [bucket.mountpoint, bucket.backing] {
        let owner = try Shell.bash("chattr +i f", as: .nobody, in: place)
        #expect(owner.status != 0)
        let stranger = try Shell.bash("chattr +d f", as: Caller(user: 1000), in: place)
        #expect(stranger.status != 0)
      }
      try Shell.expect("chattr +d f", as: .nobody, in: bucket.mountpoint)
      try Shell.expect("chattr +i f", in: bucket.mountpoint)
      defer { _ = try? Shell.bash("chattr -i f", in: bucket.backing) }
      for place in [bucket.mountpoint, bucket.backing] {
        #expect(throws: Errno.notPermitted) { try (place / "f").write("lost") }
        #expect(throws: Errno.notPermitted) { try (place / "f").unlink() }
      }
      #expect(throws: Errno.notPermitted) { try file.set("colour", "red") }
      try Shell.expect("chattr -i f", in: bucket.mountpoint)
      try file.set("colour", "red")
      try file.write("new")
      #expect(try file.attribute("colour") == "red")
    }
  }

  @Test func aReadOnlyMountShowsFlagsAndSetsNone() throws {
    try MountedBucket.with(
      MountOptions(["ro"]), on: .ext4,
      prepare: { backing in
        try (backing / "f").write("x")
        try Shell.expect("chattr +d f", in: backing)
      }
    ) { bucket in
      let shown = try Shell.expect("lsattr f", in: bucket.mountpoint)
      #expect(shown.contains("d"))
      let refused = try Shell.bash("chattr +A f", in: bucket.mountpoint)
      #expect(refused.errors.contains("Read-only"))
    }
  }
}
