import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// The helpers themselves: a table of tests is worth what its tools are.
@Suite struct FixtureTests {
  @Test func aCallerIsSomebodyElseOnItsThreadAlone() throws {
    try TemporaryDirectory.with { folder in
      let secret = folder / "secret"
      try secret.write("x")
      try secret.changeMode(0o600)
      #expect(throws: Errno.permissionDenied) { try Caller.nobody.run { try secret.text() } }
      #expect(try secret.text() == "x")
    }
  }

  @Test func aCallersUmaskIsItsOwn() throws {
    try TemporaryDirectory.with { folder in
      try folder.changeMode(0o777)
      try Caller(user: 65534, umask: 0o077).run { try (folder / "a").write("") }
      try (folder / "b").write("")
      #expect(try (folder / "a").status().permissions == 0o600)
      #expect(try (folder / "a").status().owner == 65534)
      #expect(try (folder / "b").status().permissions == 0o644)
    }
  }

  @Test func aProgramRunsAsTheCallerWithItsGroups() throws {
    let caller = Caller(user: 4001, group: 4002, groups: [4003])
    let outcome = try Shell.run(["id"], as: caller)
    #expect(outcome.text == "uid=4001 gid=4002 groups=4002,4003")
    #expect(try Shell.bash("echo out; echo err >&2; exit 3").status == 3)
  }

  @Test(arguments: BackingFileSystem.allCases) func aFileSystemIsMadeAndGone(kind: BackingFileSystem) throws {
    let root = try kind.with { root in
      #expect(Mounts.types(at: root) == [kind.rawValue])
      try (root / "f").write("x")
      try (root / "f").set("a", "b")
      #expect(try (root / "f").attributes() == ["user.a": Array("b".utf8)])
      return root
    }
    #expect(Mounts.types(at: root).isEmpty)
    #expect(!root.exists)
  }

  @Test(.enabled(if: Effort.sanitizer == "address")) func theAddressSanitizerIsOn() async {
    await #expect(processExitsWith: .failure) { test_overflow() }
  }

  @Test(.enabled(if: Effort.sanitizer == "thread")) func theThreadSanitizerIsOn() async {
    await #expect(processExitsWith: .failure) { test_race() }
  }
}
