import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Some rounds of what `scripts/crash` does a thousand times.
@Suite(.serialized) struct CrashTests {
  private static let tool = Path(MountedBucket.executable).sibling("crash-tool").description

  /// Runs the tool in a place of its own, with the bucket on `filesystem` where one is given. Returns its outcome and
  /// what `bucketfs check` finds afterwards, by its JSON lines.
  private func crash(
    _ mode: String, rounds: Int, _ replace: String, on filesystem: BackingFileSystem? = nil
  ) throws -> (outcome: Outcome, findings: String) {
    try TemporaryDirectory.with { place in
      for name in ["bucket", "mount"] as [Path] { try (place / name).makeFolder() }
      if let filesystem {
        try Shell.expect(
          """
          truncate -s \(filesystem == .xfs ? 320 : 64)M image; mkfs.\(filesystem) -q image; mount -o loop image bucket
          rm -rf bucket/lost+found
          """, in: place)
      }
      defer {
        for name in ["mount", "bucket"] as [Path] where !Mounts.types(at: place / name).isEmpty {
          Mounts.unmount(place / name)
        }
      }
      let seed = UInt32.random(in: 1...UInt32.max)
      let outcome = try Shell.run(
        [Self.tool, mode, MountedBucket.executable, "\(place)", "\(rounds)", "\(seed)", "replace=\(replace)"],
        timeout: 120)
      let findings = try Shell.run([MountedBucket.executable, "check", "--json", "\(place / "bucket")"])
      return (outcome, findings.text)
    }
  }

  private func expectSound(_ result: (outcome: Outcome, findings: String)) {
    #expect(result.outcome.status == 0, "\(result.outcome)")
    for line in result.findings.split(separator: "\n") {
      #expect(line.contains("unreferenced-overflow") || line.contains("left-over"), "\(line)")
    }
  }

  @Test(arguments: ["drop", "keep"]) func aKilledDaemonLosesNothingThatWasAcknowledged(replace: String) throws {
    expectSound(try crash("kills", rounds: Effort.isThorough ? 500 : 20, replace))
  }

  @Test(arguments: [BackingFileSystem.ext4, .xfs], ["drop", "keep"])
  func aPowerCutLosesNothingThatWasSynchronized(filesystem: BackingFileSystem, replace: String) throws {
    expectSound(try crash("cuts", rounds: Effort.isThorough ? 50 : 5, replace, on: filesystem))
  }

  /// The test of the test: what was not synchronized is gone.
  @Test func aPowerCutIsOne() throws {
    let result = try crash("lies", rounds: 100, "drop", on: .ext4)
    #expect(result.outcome.status == 1)
    #expect(result.outcome.errors.contains("not what was synchronized"))
  }
}
