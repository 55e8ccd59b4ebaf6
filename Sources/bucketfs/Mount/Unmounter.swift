internal import Bucket
internal import SystemCalls

/// A small process beside the daemon, outside its sandbox, that takes the mount away when the daemon asks for it or has
/// ended, whatever ended it. From inside the sandbox nobody changes a mount, and the setuid `fusermount3` has no rights.
///
/// It knows the mountpoint and two pipes, and reads the one file that the daemon may want anew. It is the daemon's child
/// rather than its parent: so the process that was started is the one that serves, with its signals, its exit status and
/// its readiness. Killed, it is missed only when the daemon ends by itself: then a dead mount stays, which the next
/// mount takes away.
struct Unmounter {
  /// The process.
  let processIdentifier: Int32
  private let requests: Descriptor
  private let answers: Descriptor

  /// What the daemon asks for, by its number in a request. A request is 16 bytes, its number and a value; the answer is
  /// the count of the bytes that follow, in 8 bytes.
  private enum Request: UInt64 {
    /// To take the mount of the number that is the value away at the daemon's end.
    case watch
    /// To take it away now.
    case unmount
    /// The content of the machine's media types: the file that Landlock knows may have been replaced.
    case mediaTypes
  }

  /// Splits the process off. No thread may exist but the calling one, and what is open then is closed there.
  static func start(mountpoint: String) throws(Errno) -> Unmounter {
    let requests = try System.makePipe()
    let answers = try System.makePipe()
    guard let child = try System.fork() else {
      System.closeDescriptors(except: [requests.reading, answers.writing])
      serve(requests.reading, answers.writing, mountpoint)
    }
    System.close(requests.reading)
    System.close(answers.writing)
    return Unmounter(processIdentifier: child, requests: requests.writing, answers: answers.reading)
  }

  // MARK: In the daemon

  /// From now on the mount that is at the mountpoint now ends with the daemon.
  func watch(_ mountpoint: String) throws(Errno) {
    let root = try System.open(Array(mountpoint.utf8).span, in: .workingDirectory, [.path])
    _ = try ask(.watch, try System.mountIdentifier(of: root.descriptor))
  }

  /// Takes the mount away, whoever still uses it, and returns when it is gone. False where nobody is there to do it.
  func unmount() -> Bool {
    (try? ask(.unmount)) != nil
  }

  /// What the file of media types holds now, nothing where there is none; nil where nobody is there to look.
  func mediaTypes() -> [UInt8]? {
    try? ask(.mediaTypes)
  }

  private func ask(_ request: Request, _ value: UInt64 = 0) throws(Errno) -> [UInt8] {
    let words = withUnsafeBytes(of: (request.rawValue, value)) { Array($0) }
    try System.writeAll(requests, words.span)
    guard let head = Self.read(8, from: answers) else { throw .brokenPipe }
    let count = head.withUnsafeBytes { $0.load(as: UInt64.self) }
    guard count <= Self.largestAnswer, let text = Self.read(Int(count), from: answers) else { throw .brokenPipe }
    return text
  }

  // MARK: In the process itself

  private static func serve(_ requests: Descriptor, _ answers: Descriptor, _ mountpoint: String) -> Never {
    System.setProcessName("bucketfs-umount")
    System.detach()
    System.closeStandardStreams()
    if System.effectiveUser == 0 {
      // The right to unmount, and to walk to the mountpoint through any folder.
      try? System.keepOnly([.sysAdmin, .dacReadSearch])
      try? System.giveUpNewPrivileges()
    }
    var watched: UInt64?
    while let words = read(16, from: requests) {
      let (number, value) = words.withUnsafeBytes { $0.load(as: (UInt64, UInt64).self) }
      var text: [UInt8] = []
      switch Request(rawValue: number) {
      case .watch: watched = value
      case .unmount:
        takeAway(watched, mountpoint)
        watched = nil
      case .mediaTypes:
        text = Array(MediaTypes.systemText.prefix(largestAnswer))
      case nil: break
      }
      let answer = withUnsafeBytes(of: UInt64(text.count)) { Array($0) } + text
      try? System.writeAll(answers, answer.span)
    }
    takeAway(watched, mountpoint)
    System.exitAtOnce(0)
  }

  /// Takes away the mount of that number if it is still there, and no other that came in its place.
  private static func takeAway(_ mount: UInt64?, _ mountpoint: String) {
    guard let mount,
      let root = try? System.open(Array(mountpoint.utf8).span, in: .workingDirectory, [.path]),
      (try? System.mountIdentifier(of: root.descriptor)) == mount
    else { return }
    if System.effectiveUser == 0 {
      try? System.detachMount(root.descriptor)
    } else {
      _ = System.run(["fusermount3", "-u", "-q", "-z", "--", mountpoint])
    }
  }

  /// Bytes of an answer at most: no real file of media types is larger.
  private static var largestAnswer: Int { 1 << 20 }

  /// So many bytes from a pipe; nil when its other end was closed.
  private static func read(_ count: Int, from pipe: Descriptor) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var part = ByteBuffer(capacity: count - bytes.count)
      let length = try? part.fill { memory throws(Errno) in try System.readNext(pipe, into: memory) }
      guard let length, length > 0 else { return nil }
      bytes += part.span.array
    }
    return bytes
  }
}
