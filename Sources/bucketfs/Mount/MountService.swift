internal import Bucket
internal import BucketFileSystem
internal import FUSESession
internal import SystemCalls

/// A mount from its first request to its end: confines the daemon, serves, and takes the mount away.
struct MountService {
  let session: Session
  /// Who takes the mount away; nil where the daemon, not confined, does so itself.
  let unmounter: Unmounter?
  let mediaTypes: MediaTypes
  let directory: String
  let mountpoint: String
  let options: MountOptions

  /// Serves until the session ends or a signal comes. The session has been mounted, and no thread started.
  func run(
    _ fileSystem: BucketFileSystem, _ store: BucketStore, watch: Watch?, hasher: ContentHasher, rings: Rings?,
    status: DaemonStatus, _ inBackground: Bool, _ onReady: () -> Void
  ) throws(Command.Failure) {
    let pool = WorkerPool(session, limit: options.maximumThreads) { System.wakeSignalWaiter() }
    do throws(Command.Failure) {
      try confine(store, status, isWatched: watch != nil)
      if let rings { try options.transport.prepare(rings) }
      session.initialize()
      try follow(watch, fileSystem)
      try start(hasher, pool)
    } catch {
      session.exit()
      unmount()
      pool.stop()
      watch?.stop()
      throw error
    }
    if inBackground { Log.configure(level: options.logLevel, format: options.logFormat.format, sink: .syslog) }
    onReady()
    System.notifyServiceManager("READY=1\nSTATUS=Serves \(directory) at \(mountpoint)")
    waitForEnd()
    System.notifyServiceManager("STOPPING=1")
    unmount()
    pool.stop()
    session.stopRings()
    watch?.stop()
  }

  private func follow(_ watch: Watch?, _ fileSystem: BucketFileSystem) throws(Command.Failure) {
    do throws(Errno) {
      try watch?.start(fileSystem)
    } catch {
      throw .failed("cannot watch the bucket '\(directory)': \(error)")
    }
  }

  private func start(_ hasher: ContentHasher, _ pool: WorkerPool) throws(Command.Failure) {
    do throws(Errno) {
      try hasher.start(threads: 2)
      try pool.start()
    } catch {
      throw .failed("cannot serve the mount on '\(mountpoint)': the system gives no thread: \(error)")
    }
    // The answer to this is the mount's first: who waits for `onReady` finds it working.
    guard System.realPath(mountpoint + "/.") != nil else {
      let reason = session.hasExited ? session.message : "the mount does not answer"
      throw .failed("cannot mount on '\(mountpoint)': \(reason)")
    }
  }

  private func waitForEnd() {
    while !session.hasExited {
      switch System.waitForSignal() {
      case .hangUp: reloadMediaTypes()
      case .wakeUp: break
      case .terminate: session.exit()
      }
    }
  }

  private func reloadMediaTypes() {
    // The file may have been replaced, and then only a process outside can read it.
    if let text = unmounter?.mediaTypes() { mediaTypes.reload(text) } else { mediaTypes.reload() }
    Log.write(.info, .start, "read \(MediaTypes.systemPath) again")
  }

  /// Gives up all that the daemon will not need.
  private func confine(_ store: BucketStore, _ status: DaemonStatus, isWatched: Bool) throws(Command.Failure) {
    var landlock = 0
    do throws(Errno) {
      if let unmounter {
        try unmounter.watch(mountpoint)
        landlock = try Confinement.enter(
          root: store.root, readOnly: options.fileSystem.readOnly, isWatched: isWatched)
      }
    } catch {
      throw .failed("cannot confine the daemon of '\(mountpoint)': \(error); mount with -o sandbox=off")
    }
    let state = SandboxState(
      landlock: landlock, unmounter: unmounter?.processIdentifier,
      names: Confinement.kept.map { ($0.capability, $0.name) })
    status.report(on: state)
    guard unmounter != nil else { return Log.write(.info, .sandbox, "the daemon is not confined") }
    Log.write(
      .info, .sandbox,
      "Landlock \(landlock == 0 ? "is not there" : "of version \(landlock)"), no new privileges, capabilities: "
        + (state.capabilities.isEmpty ? "none" : state.capabilities.map { "\($0)" }.joined(separator: ", ")))
  }

  private func unmount() {
    guard let unmounter else { return session.unmount() }
    if !unmounter.unmount() {
      Log.write(.warning, .mount, "the mount at '\(mountpoint)' stays, dead: the process that unmounts has ended")
    }
  }
}
