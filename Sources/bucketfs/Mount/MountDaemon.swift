internal import Bucket
internal import BucketFileSystem
internal import FUSESession
internal import SystemCalls

/// The process behind a mount: opens the bucket, mounts it, and has it served.
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
    let unmounter = try startUnmounter()
    try giveUpCapabilities()

    // What is opened from here to the confinement can be used after it; what is not cannot be opened then.
    let store = try openStore()
    let mediaTypes = MediaTypes()
    let backings = SessionBackings { reason in
      Log.write(.info, .passthrough, "data goes through the daemon, the kernel takes no backing file: \(reason)")
    }
    let status = DaemonStatus(backings: backings)
    let (watch, trusting) = beginWatch(store.root, status)
    let hasher: ContentHasher
    let fileSystem: BucketFileSystem
    let hasPosixACLs: Bool
    do throws(Errno) {
      // No thread may be there before the confinement, which is one thread's and those that it starts.
      hasher = try ContentHasher(threads: 0)
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
    let rings = try options.transport.rings(depth: options.ringDepth) { [mountpoint] in
      if let unmounter { _ = unmounter.unmount() } else { try? System.detachMount(at: mountpoint) }
    }
    let session: Session
    do throws(SessionError) {
      session = try Session(
        fileSystem, backings: backings, options: libraryOptions, hasPosixACLs: hasPosixACLs,
        requests: status.requests, rings: rings, notices: status.notices,
        // The watch has filesystems to add that are mounted later.
        givesUpNeedlessRights: unmounter != nil && watch == nil)
      try session.mount(on: mountpoint)
    } catch {
      throw Self.failure(error, mountpoint)
    }
    let service = MountService(
      session: session, unmounter: unmounter, mediaTypes: mediaTypes, directory: directory, mountpoint: mountpoint,
      options: options)
    try service.run(
      fileSystem, store, watch: watch, hasher: hasher, rings: rings, status: status, inBackground, onReady)
  }

  private func startUnmounter() throws(Command.Failure) -> Unmounter? {
    guard options.sandbox == .auto else { return nil }
    do throws(Errno) {
      return try Unmounter.start(mountpoint: mountpoint)
    } catch {
      throw .failed("cannot start the process that unmounts '\(mountpoint)': \(error)")
    }
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
  /// write to, CAP_SYS_RESOURCE would let everybody use the reserved blocks, and its own groups would count as those of
  /// whoever it acts as.
  private func giveUpCapabilities() throws(Command.Failure) {
    guard System.effectiveUser == 0 else { return }
    do throws(Errno) {
      let effective = System.capabilities.effective
      if effective.contains(.setgid) { try System.dropSupplementaryGroups() }
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
