import CTestSupport
import SystemCalls
import Testing

/// How a test mounts its bucket.
package struct MountOptions: Sendable {
  /// Words of `-o`, such as `ro`.
  package var options: [String] = []
  /// Other arguments, such as `--bucket`, `NAME`.
  package var arguments: [String] = []
  /// Who runs the daemon; nil is whoever runs the test.
  package var caller: Caller?
  /// What the daemon's environment holds besides the test's.
  package var environment: [String: String] = [:]
  /// Bytes of address space that the daemon may have, RLIMIT_AS; nil for no limit of its own.
  package var addressSpace: Int?
  /// How many descriptors the daemon may have, RLIMIT_NOFILE; nil for no limit of its own.
  package var descriptors: Int?

  package init(
    _ options: [String] = [], arguments: [String] = [], caller: Caller? = nil, environment: [String: String] = [:]
  ) {
    self.options = options
    self.arguments = arguments
    self.caller = caller
    self.environment = environment
  }
}

/// A bucket mounted by the built `bucketfs`, in a directory of its own.
package final class MountedBucket {
  /// B, the backing directory.
  package let backing: Path
  /// M, the mountpoint.
  package let mountpoint: Path
  private var daemon: Program?

  /// The daemon's pid; 0 when none runs.
  package var pid: pid_t { daemon?.pid ?? 0 }
  /// What the daemon has written to standard error.
  package var log: String { daemon?.standardError ?? "" }

  private init(backing: Path, mountpoint: Path) {
    self.backing = backing
    self.mountpoint = mountpoint
  }

  /// Mounts a new, empty bucket, calls `body` with it, and unmounts it, whatever `body` does.
  ///
  /// B is `bucket` in a temporary directory, on the filesystem that BUCKETFS_TEST_FS names or on `filesystem`. What
  /// `prepare` puts there is there before the mount. A daemon that does not end with status 0 fails the test.
  @discardableResult
  package static func with<Result>(
    _ options: MountOptions = MountOptions(), on filesystem: BackingFileSystem? = nil,
    prepare: (Path) throws -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (MountedBucket) throws -> Result
  ) throws -> Result {
    func run(in place: Path) throws -> Result {
      try with(options, at: place / "bucket", prepare: prepare, sourceLocation: sourceLocation, body)
    }
    if let filesystem { return try filesystem.with { try run(in: $0) } }
    guard let requested = BackingFileSystem.requested else { return try TemporaryDirectory.with { try run(in: $0) } }
    // With room for whatever the tests do, which the image takes only as it is used.
    return try requested.with(megabytes: 2048) { try run(in: $0) }
  }

  /// The same with the folder at `backing` as B, made where it is not there.
  @discardableResult
  package static func with<Result>(
    _ options: MountOptions = MountOptions(), at backing: Path, prepare: (Path) throws -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (MountedBucket) throws -> Result
  ) throws -> Result {
    try TemporaryDirectory.with { folder in
      let bucket = MountedBucket(backing: backing, mountpoint: folder / "mount")
      if !backing.exists { try backing.makeFolder() }
      try bucket.mountpoint.makeFolder()
      if let caller = options.caller {
        // Where the build is, that user may not be able to look.
        try Shell.expect("cp \(Self.executable) \(folder / "bucketfs")")
        try bucket.backing.changeOwner(caller.user, caller.group)
        try bucket.mountpoint.changeOwner(caller.user, caller.group)
      }
      try prepare(bucket.backing)
      try bucket.mount(options)
      defer { bucket.unmount(sourceLocation: sourceLocation) }
      return try body(bucket)
    }
  }

  /// Starts the daemon in the foreground and waits until it says, as to systemd, that it is ready.
  package func mount(_ options: MountOptions = MountOptions()) throws {
    var words = options.options
    if let transport = getenv("BUCKETFS_TEST_TRANSPORT").map({ String(cString: $0) }), !transport.isEmpty,
      !words.contains(where: { $0.hasPrefix("transport=") })
    {
      words.append("transport=\(transport)")
    }
    if options.caller != nil {
      // Everybody may open it where udev has made it; fusermount3 is for the mount itself.
      try Path("/dev/fuse").changeMode(0o666)
    }
    // Several users work on the mount of root's daemon.
    if options.caller == nil { words.append("allow_other") }
    let optionArguments = words.isEmpty ? [] : ["-o", words.joined(separator: ",")]

    let place = mountpoint.folder / "ready"
    let ready = try place.withCString { path throws(Errno) in try check { test_notification_socket(path) } }
    defer {
      close(ready)
      try? place.unlink()
    }
    let resources = [options.addressSpace.map { "--as=\($0)" }, options.descriptors.map { "--nofile=\($0)" }]
      .compactMap { $0 }
    let limits = resources.isEmpty ? [] : ["prlimit"] + resources
    let program = try Program(
      limits + [program(for: options.caller), "mount", "--foreground"] + options.arguments + optionArguments
        + [backing.description, mountpoint.description],
      as: options.caller, environment: options.environment.merging(["NOTIFY_SOCKET": "\(place)"]) { $1 })
    daemon = program
    for _ in 0..<6000 {
      if test_was_notified(ready, "READY=1") == 1 { return }
      if let status = program.wait(seconds: 0.005) {
        throw MountFailure(status: status, log: program.standardError)
      }
    }
    throw MountFailure(status: nil, log: program.standardError)
  }

  private func program(for caller: Caller?) -> String {
    guard caller != nil else { return Self.executable }
    return mountpoint.folder.description + "/bucketfs"
  }

  /// Unmounts and waits for the daemon's end, which must be status 0. Does nothing where nothing is mounted.
  package func unmount(sourceLocation: SourceLocation = #_sourceLocation) {
    while !Mounts.types(at: mountpoint).isEmpty {
      // The daemon may be about to do it itself.
      let clean = Mounts.unmount(mountpoint) || Mounts.types(at: mountpoint).isEmpty
      #expect(clean, "the mount stayed busy", sourceLocation: sourceLocation)
    }
    guard let daemon else { return }
    let status = daemon.wait(seconds: 20)
    #expect(
      status == 0, "the daemon ended with \(status as Any); its log: \(daemon.standardError)",
      sourceLocation: sourceLocation)
    self.daemon = nil
  }

  /// Unmounts, and mounts the same bucket again.
  package func remount(_ options: MountOptions = MountOptions()) throws {
    unmount()
    try mount(options)
  }

  /// Sends a signal to the daemon. Returns its exit status as `Program.wait` gives it, nil if it goes on.
  package func signal(_ number: Int32, waiting seconds: Double = 20) -> Int32? {
    guard let daemon else { return nil }
    daemon.signal(number)
    let status = daemon.wait(seconds: seconds)
    if status != nil { self.daemon = nil }
    return status
  }

  /// The built program, beside the bundle of the tests.
  package static var executable: String { beside("bucketfs") }

  /// The built process that uses a bucket's core by itself.
  package static var worker: String { beside("store-worker") }

  private static func beside(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = Path(bytes: buffer.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }).description
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
  }

  /// A path in M.
  package static func / (bucket: MountedBucket, name: Path) -> Path {
    bucket.mountpoint / name
  }
}

/// A mount that did not come about.
package struct MountFailure: Error, CustomStringConvertible {
  /// The exit status, nil when the daemon goes on without a mount.
  package var status: Int32?
  package var log: String

  package var description: String { "bucketfs mount: status \(status.map(String.init) ?? "none"), \(log)" }
}
