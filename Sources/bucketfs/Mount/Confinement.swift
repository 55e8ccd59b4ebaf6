internal import Bucket
internal import FUSESession
internal import SystemCalls

/// What the daemon keeps once it is mounted, and how it gives up the rest: `-o sandbox=auto`.
///
/// Whatever a request or a file in the bucket may make it do, it reads and writes nothing outside the bucket's
/// directory, runs no program from elsewhere, gains no rights, and reaches no other process and no network.
enum Confinement {
  /// A capability that the daemon keeps where it has it.
  struct Kept: Sendable {
    let capability: Capabilities
    let name: StaticString
    let reason: StaticString
  }

  /// All of them, of root's daemon; an ordinary user's has none.
  static let kept: [Kept] = [
    Kept(capability: .chown, name: "chown", reason: "gives files to other users and groups as callers ask"),
    Kept(
      capability: .dacOverride, name: "dac_override",
      reason: "acts where the kernel has let the caller, whose supplementary groups it cannot take on"),
    Kept(
      capability: .dacReadSearch, name: "dac_read_search",
      reason: "opens the files that changes are told of, with watch=auto alone"),
    Kept(capability: .fowner, name: "fowner", reason: "changes modes, times and attributes of files of other users"),
    Kept(
      capability: .fsetid, name: "fsetid",
      reason: "keeps setgid where the kernel has let the caller set it; raised for that call alone"),
    Kept(
      capability: .linuxImmutable, name: "linux_immutable",
      reason: "makes files immutable or append-only for a caller who may"),
    Kept(capability: .setgid, name: "setgid", reason: "makes files as the caller's group"),
    Kept(capability: .setuid, name: "setuid", reason: "makes files as the caller, and counts them in their quota"),
    Kept(
      capability: .sysAdmin, name: "sys_admin",
      reason: "registers backing files for passthrough, and filesystems to be watched; given up where neither is done"),
  ]

  /// Confines the calling thread and all that it starts from now on.
  ///
  /// What needs a right or a path that is given up here must have been opened before: the store, `/dev/fuse`, the mount,
  /// the watch.
  /// Returns the version of Landlock that is in force, 0 for none.
  static func enter(root: Descriptor, readOnly: Bool, isWatched: Bool) throws(Errno) -> Int {
    System.loadTimeZone()
    try System.giveUpNewPrivileges()
    let version = restrictFiles(root, readOnly)
    let all = kept.reduce(into: Capabilities()) { $0.formUnion($1.capability) }
    try System.keepOnly(isWatched ? all : all.subtracting(.dacReadSearch))
    return version
  }

  /// Before version 2 Landlock refuses every rename from one folder to another, so that it is not for us.
  private static func restrictFiles(_ root: Descriptor, _ readOnly: Bool) -> Int {
    let version = LandlockRules.kernelVersion
    guard version >= 2 else {
      let reason = version == 0 ? "has no Landlock" : "has a Landlock without renames between folders"
      Log.write(.info, .sandbox, "files outside the bucket are not closed off: the kernel \(reason)")
      return 0
    }
    do throws(Errno) {
      let rules = try LandlockRules(abstractSockets: System.hasAbstractServiceManager)
      let reading: FileAccess = [.readFile, .readFolder]
      // The kernel opens backing files with the daemon's rights, also when others run a program in the mount.
      let running = reading.union(.execute)
      let changing: FileAccess = [
        .writeFile, .truncate, .makeFile, .makeFolder, .makeSymlink, .makeFIFO, .makeSocket, .removeFile, .removeFolder,
        .refer,
      ]
      try rules.allow(readOnly ? running : running.union(changing), to: root)
      // What the runtime and its checkers look at, and where the standard streams go.
      for (path, access) in [
        ("/proc/self", reading), ("/dev/null", [.readFile, .writeFile]), ("\(MediaTypes.systemPath)", .readFile),
      ] as [(String, FileAccess)] {
        guard let place = try? System.open(Array(path.utf8).span, in: .workingDirectory, [.path]) else { continue }
        try rules.allow(access, to: place.descriptor)
      }
      try rules.enter()
      return rules.version
    } catch {
      Log.write(.warning, .sandbox, "files outside the bucket are not closed off, Landlock fails: \(error)")
      return 0
    }
  }
}
