package import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

/// Why a session could not be made or mounted: libfuse's own words.
package struct SessionError: Error, Sendable {
  package let message: String
}

/// One FUSE session: libfuse's, with the threads that serve it.
package final class Session: @unchecked Sendable {
  let session: OpaquePointer
  let context: Unmanaged<SessionContext>
  private let backings: SessionBackings
  private let notices: SessionNotices
  /// Whether what turns out to be needless is given up.
  private let givesUpNeedlessRights: Bool
  /// Whether libfuse has a mount that it was not told to take away.
  private var isMounted = false

  /// Makes a session that serves `fileSystem`.
  ///
  /// - Parameters:
  ///   - options: mount options in libfuse's form, commas in values escaped.
  ///   - requests: counts each request that is served.
  ///   - rings: what to offer the kernel besides its device, if they are ready when it asks.
  ///   - givesUpNeedlessRights: whether threads give up what they need no more once the kernel has said what it offers.
  package init(
    _ fileSystem: BucketFileSystem, backings: SessionBackings, options: [String], hasPosixACLs: Bool,
    requests: RequestCounts = RequestCounts(), rings: Rings? = nil, notices: SessionNotices = SessionNotices(),
    givesUpNeedlessRights: Bool = false
  ) throws(SessionError) {
    self.givesUpNeedlessRights = givesUpNeedlessRights
    LibraryLog.start()
    let maximumRead = options.last { $0.hasPrefix("max_read=") }.flatMap { UInt32($0.dropFirst(9)) }
    let context = Unmanaged.passRetained(
      SessionContext(
        fileSystem: fileSystem, backings: backings, hasPosixACLs: hasPosixACLs, requests: requests, rings: rings,
        maximumRead: maximumRead ?? 0))
    let words = ["bucketfs"] + options.flatMap { ["-o", $0] }
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var table = Operations.table
    let made = pointers.withUnsafeMutableBufferPointer { buffer -> OpaquePointer? in
      var arguments = fuse_args(argc: Int32(words.count), argv: buffer.baseAddress, allocated: 0)
      defer { fuse_opt_free_args(&arguments) }
      return cfuse_session_new(&arguments, &table, context.toOpaque())
    }
    guard let made else {
      context.release()
      throw SessionError(message: LibraryLog.last)
    }
    session = made
    self.context = context
    self.backings = backings
    self.notices = notices
  }

  deinit {
    context._withUnsafeGuaranteedRef { $0.deferred.end() }
    forgetMount()
    fuse_session_destroy(session)
    context.release()
  }

  /// Has libfuse 3.14 free what it has of a mount: it does so only where it unmounts, and takes away whatever is mounted
  /// there by then, unless it finds the connection over. So it finds one that is: the writing end of a pipe that nobody
  /// reads, in the place of the device.
  private func forgetMount() {
    guard isMounted, let pipe = try? System.makePipe() else { return }
    close(pipe.reading.rawValue)
    if dup2(pipe.writing.rawValue, fuse_session_fd(session)) >= 0 { fuse_session_unmount(session) }
    close(pipe.writing.rawValue)
  }

  /// Mounts on `mountpoint`, a directory.
  package func mount(on mountpoint: String) throws(SessionError) {
    guard fuse_session_mount(session, mountpoint) == 0 else { throw SessionError(message: LibraryLog.last) }
    let descriptor = fuse_session_fd(session)
    guard CustomIO.install(on: session, descriptor: descriptor) == 0 else {
      fuse_session_unmount(session)
      throw SessionError(message: "libfuse refused the session's own read and write")
    }
    isMounted = true
    backings.start(session: Descriptor(rawValue: descriptor))
    notices.start(session)
    let context = context._withUnsafeGuaranteedRef { $0 }
    guard let rings = context.rings else { return }
    context.initialized.withLock { initialized in
      initialized = { [unowned self] in
        if context.negotiation.hasRings { rings.start(self, descriptor: descriptor) } else { rings.stop() }
      }
    }
  }

  /// Serves INIT on the calling thread: the first request, which waits since the mount. The threads that it starts
  /// afterwards have no more rights than what was agreed upon takes.
  package func initialize() {
    var buffer = fuse_buf()
    defer { free(buffer.mem) }
    var count: Int32 = 0
    repeat { count = fuse_session_receive_buf(session, &buffer) } while count == -EINTR
    if count > 0 { process(buffer) }
    giveUpNeedlessRights()
  }

  /// Without passthrough there is nothing left that takes CAP_SYS_ADMIN.
  func giveUpNeedlessRights() {
    guard givesUpNeedlessRights, !context._withUnsafeGuaranteedRef({ $0.negotiation.hasPassthrough }) else { return }
    try? System.keepOnly(System.capabilities.permitted.subtracting(.sysAdmin))
  }

  /// Ends the threads of the rings. The session must have been unmounted, and serves nothing any more.
  package func stopRings() {
    context._withUnsafeGuaranteedRef { $0.rings }?.stop()
  }

  /// Takes the mount away, whoever still uses it: what is open stays until it is closed or the daemon ends.
  package func unmount() {
    isMounted = false
    fuse_session_unmount(session)
  }

  /// Serves requests on the calling thread until the session ends.
  ///
  /// - Parameter received: called between taking a request and serving it.
  func serve(received: () -> Void, served: () -> Void) {
    var buffer = fuse_buf()
    defer { free(buffer.mem) }
    while fuse_session_exited(session) == 0 {
      let count = fuse_session_receive_buf(session, &buffer)
      if count == -EINTR { continue }
      if count <= 0 { break }
      received()
      process(buffer)
      served()
    }
    ServingThread.end()
  }

  /// Makes every thread that serves stop after the request it is at.
  package func exit() {
    fuse_session_exit(session)
  }

  /// The latest that libfuse had to say.
  package var message: String { LibraryLog.last }

  /// Whether the session is over.
  package var hasExited: Bool { fuse_session_exited(session) != 0 }
}
