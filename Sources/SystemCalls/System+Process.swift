internal import CLinux
internal import Glibc

/// The process itself: its start in the background, its signals, its limits.
extension System {
  /// The words of the command line, the program's name first, as bytes.
  package static var commandLine: [[UInt8]] {
    let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return words.map { word in word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? [] }
  }

  /// A signal that the daemon waits for.
  package enum Signal: Sendable {
    /// SIGTERM or SIGINT.
    case terminate
    /// SIGHUP.
    case hangUp
    /// SIGUSR1, which the process sends itself.
    case wakeUp
  }

  /// Keeps the signals that `waitForSignal` waits for from the calling thread and those that it starts.
  package static func blockSignals() {
    var set = waitedSignals
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    // A write beyond RLIMIT_FSIZE is to fail with EFBIG, not to end the process.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Whether one of the signals that end a process came since `blockSignals`.
  package static var isToTerminate: Bool {
    var set = sigset_t()
    sigemptyset(&set)
    sigpending(&set)
    return sigismember(&set, SIGTERM) == 1 || sigismember(&set, SIGINT) == 1
  }

  /// Waits for the next of the blocked signals.
  package static func waitForSignal() -> Signal {
    var set = waitedSignals
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    switch number {
    case SIGHUP: return .hangUp
    case SIGUSR1: return .wakeUp
    default: return .terminate
    }
  }

  /// Makes `waitForSignal` return `.wakeUp`.
  package static func wakeSignalWaiter() {
    kill(getpid(), SIGUSR1)
  }

  private static var waitedSignals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { sigaddset(&set, number) }
    return set
  }

  /// Splits the process in two, fork(2): nil in the child, the child's pid in the parent. No thread may exist but the
  /// calling one.
  package static func fork() throws(Errno) -> Int32? {
    let child = clinux_fork()
    if child < 0 { throw .current }
    return child == 0 ? nil : child
  }

  /// pipe2(2): what is written to the second is read from the first. Both close on exec.
  package static func makePipe() throws(Errno) -> (reading: Descriptor, writing: Descriptor) {
    var ends: InlineArray<2, Int32> = [0, 0]
    let failed = withUnsafeMutablePointer(to: &ends) { pointer in
      pointer.withMemoryRebound(to: Int32.self, capacity: 2) { clinux_pipe($0) != 0 }
    }
    if failed { throw .current }
    return (Descriptor(rawValue: ends[0]), Descriptor(rawValue: ends[1]))
  }

  /// read(2) at the descriptor's own position.
  package static func readNext(_ file: Descriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try call(.read) { Glibc.read(file.rawValue, buffer.baseAddress, buffer.count) }
  }

  /// Waits for a child and returns its exit status, 128 and the signal's number for one that a signal ended.
  package static func wait(for child: Int32) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      if Errno.current != .interrupted { return 1 }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Closes what the process that started this one left open, but the standard streams: a daemon must not keep another
  /// mount busy.
  package static func closeInheritedDescriptors() {
    clinux_close_from(3)
  }

  /// Closes every descriptor but the standard streams and `kept`.
  package static func closeDescriptors(except kept: [Descriptor]) {
    var first: UInt32 = 3
    for number in kept.map({ UInt32($0.rawValue) }).sorted() where number >= first {
      if number > first { clinux_close_range(first, number - 1) }
      first = number + 1
    }
    clinux_close_from(first)
  }

  /// The name of the process for ps(1) and top(1), at most 15 bytes.
  package static func setProcessName(_ name: StaticString) {
    name.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { _ = clinux_set_name($0.baseAddress!) }
    }
  }

  /// Ends the process at once, _exit(2).
  package static func exitAtOnce(_ status: Int32) -> Never {
    _exit(status)
  }

  /// Leaves the terminal and the working directory behind, for a process in the background.
  package static func detach() {
    setsid()
    chdir("/")
  }

  /// Leads standard input, output and error to nowhere.
  package static func closeStandardStreams() {
    let null = clinux_openat(AT_FDCWD, "/dev/null", O_RDWR, 0)
    guard null >= 0 else { return }
    for stream in 0...2 as ClosedRange<Int32> { dup2(null, stream) }
    if null > 2 { Glibc.close(null) }
  }

  /// Raises the number of descriptors that the process may open as far as it goes, and returns it.
  @discardableResult
  package static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    getrlimit(clinux_rlimit_nofile, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(clinux_rlimit_nofile, &limit)
    getrlimit(clinux_rlimit_nofile, &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// umount2(2) with MNT_DETACH: takes a mount away though it is in use, or dead.
  package static func detachMount(at path: String) throws(Errno) {
    _ = try call(.mount) { umount2(path, 2 /* MNT_DETACH */) }
  }

  /// The number of the mount that `file` lies on, without asking its filesystem, which may be dead. Since Linux 6.8 no
  /// two mounts ever have the same.
  package static func mountIdentifier(of file: Descriptor) throws(Errno) -> UInt64 {
    var identifier: UInt64 = 0
    _ = try call(.statx) { clinux_mount_identifier(file.rawValue, &identifier) }
    return identifier
  }

  /// umount2(2) with MNT_DETACH of the mount whose root `root` is, wherever it is and whatever was mounted there since.
  package static func detachMount(_ root: Descriptor) throws(Errno) {
    try withProcPath(root) { path throws(Errno) in
      _ = try call(.mount) { umount2(path, 2 /* MNT_DETACH */) }
    }
  }

  /// A private, read-only clone without atime of the mount that holds `path`. Needs CAP_SYS_ADMIN.
  package static func openReadOnlyTree(at path: String) throws(Errno) -> OwnedDescriptor {
    OwnedDescriptor(owning: Descriptor(rawValue: try call(.mount) { clinux_open_read_only_tree(path) }))
  }

  /// Runs a program found by PATH with the standard streams of this process, and waits for it. Returns its exit status,
  /// 127 where there is none.
  package static func run(_ words: [String]) -> Int32 {
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, words[0], nil, nil, &pointers, environ) == 0 else { return 127 }
    return wait(for: child)
  }
}
