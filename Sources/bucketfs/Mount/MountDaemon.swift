internal import Bucket
internal import BucketFileSystem
internal import FUSESession
internal import SystemCalls

/// The process behind a mount: opens the bucket, mounts it, serves it, and takes the mount away at its end.
struct MountDaemon {
  let directory: String
  private let mountpoint: String
  let options: MountOptions

  /// Checks what can be checked before anything starts. The paths are made absolute, since the daemon leaves the
  /// working directory.
  init(directory: String, mountpoint: String, options: MountOptions) throws(Command.Failure) {
    guard let directory = System.realPath(directory) else {
      throw .failed("cannot open the bucket '\(directory)': \(Errno.noSuchFileOrDirectory)")
    }
    try MountPlace.recover(mountpoint)
    guard let place = System.realPath(mountpoint) else {
      throw .failed("cannot mount on '\(mountpoint)': \(Errno.noSuchFileOrDirectory)")
    }
    try MountPlace.check(bucket: directory, mountpoint: place)
    self.directory = directory
    self.mountpoint = place
    self.options = options
  }

  /// Serves the mount until it is unmounted or a signal ends it. `onReady` is called when the mount answers.
  func run(inBackground: Bool, onReady: () -> Void) throws(Command.Failure) {
    Log.configure(level: options.logLevel, format: options.logFormat.format)
    let descriptorLimit = System.raiseDescriptorLimit()
    System.blockSignals()
    System.allowInterrupts()
    try giveUpCapabilities()

    let store = try openStore()
    let mediaTypes = MediaTypes()
    let backings = SessionBackings { reason in
      Log.write(.info, .passthrough, "data goes through the daemon, the kernel takes no backing file: \(reason)")
    }
    let status = DaemonStatus(backings: backings)
    let (watch, trusting) = beginWatch(store.root, status)
    let fileSystem: BucketFileSystem
    let hasPosixACLs: Bool
    do throws(Errno) {
      let hasher = try ContentHasher()
      let xattrs = XattrView(
        store: store, mediaTypes: mediaTypes, hasher: hasher, options: options.xattrs,
        status: { status.append(to: &$0) })
      hasPosixACLs = System.keepsACLs(store.root)
      fileSystem = try BucketFileSystem(
        root: try System.open([UInt8(ascii: ".")].span, in: store.root, [.path, .directory]), xattrs: xattrs,
        options: trusting, descriptorLimit: min(descriptorLimit / 2, 1 << 15), backings: backings.registry,
        kernel: status.notices.cache, watch: watch)
    } catch {
      throw .failed("cannot serve the bucket '\(directory)': \(error)")
    }

    status.report(on: fileSystem)
    defer { status.report(on: nil) }
    let rings = try options.transport.rings(depth: options.ringDepth, mountpoint: mountpoint)
    let session: Session
    do throws(SessionError) {
      session = try Session(
        fileSystem, backings: backings, options: libraryOptions, hasPosixACLs: hasPosixACLs,
        requests: status.requests, rings: rings, notices: status.notices)
      try session.mount(on: mountpoint)
    } catch {
      throw Self.failure(error, mountpoint)
    }
    do throws(Errno) {
      try watch?.start(fileSystem)
    } catch {
      session.unmount()
      throw .failed("cannot watch the bucket '\(directory)': \(error)")
    }
    defer { watch?.stop() }
    try serve(session, mediaTypes, inBackground: inBackground, onReady: onReady)
  }

  private func serve(
    _ session: Session, _ mediaTypes: MediaTypes, inBackground: Bool, onReady: () -> Void
  ) throws(Command.Failure) {
    let pool = WorkerPool(session, limit: options.maximumThreads) { System.wakeSignalWaiter() }
    do throws(Errno) {
      try pool.start()
    } catch {
      session.exit()
      session.unmount()
      throw .failed("cannot serve the mount on '\(mountpoint)': the system gives no thread: \(error)")
    }
    // The answer to this is the mount's first: who waits for `onReady` finds it working.
    guard System.realPath(mountpoint + "/.") != nil else {
      let reason = session.hasExited ? session.message : "the mount does not answer"
      session.exit()
      session.unmount()
      pool.stop()
      throw .failed("cannot mount on '\(mountpoint)': \(reason)")
    }
    if inBackground { Log.configure(level: options.logLevel, format: options.logFormat.format, sink: .syslog) }
    onReady()
    System.notifyServiceManager("READY=1\nSTATUS=Serves \(directory) at \(mountpoint)")
    while !session.hasExited {
      switch System.waitForSignal() {
      case .hangUp:
        mediaTypes.reload()
        Log.write(.info, .start, "read \(MediaTypes.systemPath) again")
      case .wakeUp: break
      case .terminate: session.exit()
      }
    }
    System.notifyServiceManager("STOPPING=1")
    session.unmount()
    pool.stop()
    session.stopRings()
  }

  private var libraryOptions: [String] {
    ["fsname=" + MountOptions.escaped(directory), "subtype=bucketfs", "default_permissions"]
      + options.transport.libraryOptions(depth: options.ringDepth)
      + options.passedOn.map { MountOptions.escaped($0) }
  }

  private func openStore() throws(Command.Failure) -> BucketStore {
    let name = options.bucket.map { Array($0.utf8) }
    let readOnly = options.fileSystem.readOnly
    do throws(BucketOpenError) {
      if readOnly, let tree = try? System.openReadOnlyTree(at: directory) {
        let lastComponent = directory.split(separator: "/").last.map { Array($0.utf8) } ?? [UInt8(ascii: "/")]
        return BucketStore(root: tree, name: name ?? lastComponent, readOnly: true)
      }
      return try BucketStore.open(Array(directory.utf8).span, name: name, readOnly: readOnly)
    } catch {
      if case .withoutXattrs = error {
        throw .failed(
          "cannot mount the bucket '\(directory)': \(error.description(of: directory)); mount it with -o ro")
      }
      throw .failed("cannot open the bucket '\(directory)': \(error.description(of: directory))")
    }
  }

  /// What the daemon would have to be careful with it does without: CAP_FSETID would keep setuid on files that others
  /// write to, CAP_SYS_RESOURCE would let everybody use the reserved blocks.
  private func giveUpCapabilities() throws(Command.Failure) {
    guard System.effectiveUser == 0 else { return }
    do throws(Errno) {
      let effective = System.capabilities.effective
      if effective.contains(.setpcap) { try System.keepCapabilitiesAcrossIdentities() }
      try System.setEffective(effective.subtracting([.fsetid, .sysResource]))
    } catch {
      throw .failed("cannot give up capabilities: \(error)")
    }
  }

  private static func failure(_ error: SessionError, _ mountpoint: String) -> Command.Failure {
    if error.message.hasPrefix("unknown option") {
      let name = error.message.split(separator: "`").dropFirst().first?.split(separator: "'").first ?? ""
      let word = name.hasPrefix("-o ") ? String(name.dropFirst(3)) : String(name)
      return .usage("there is no mount option '\(word)'")
    }
    return .failed("cannot mount on '\(mountpoint)'\(error.message.isEmpty ? "" : ": \(error.message)")")
  }
}
