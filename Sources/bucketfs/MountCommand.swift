internal import SystemCalls

/// `bucketfs mount`: reads the arguments, and returns when the mount answers.
struct MountCommand {
  private var foreground = false
  private var options = MountOptions()
  private var directory = ""
  private var mountpoint = ""

  init(_ arguments: ArraySlice<String>) throws(Command.Failure) {
    var rest = arguments
    var places: [String] = []
    while let word = rest.popFirst() {
      switch word {
      case "-f", "--foreground": foreground = true
      case "--bucket": options.bucket = try Self.value(of: word, &rest)
      case "-o": try options.add(try Self.value(of: word, &rest))
      case "--":
        places += rest
        rest = []
      case _ where word.hasPrefix("-o"): try options.add(String(word.dropFirst(2)))
      case _ where word.hasPrefix("--bucket="): options.bucket = String(word.dropFirst(9))
      case _ where word.hasPrefix("-") && word != "-": throw .usage("mount has no option '\(word)'")
      default: places.append(word)
      }
    }
    guard places.count == 2 else { throw .usage("mount takes a BUCKET_DIR and a MOUNTPOINT") }
    if let bucket = options.bucket, bucket.isEmpty || bucket.contains("/") {
      throw .usage("'\(bucket)' cannot be a bucket's name")
    }
    directory = places[0]
    mountpoint = places[1]
  }

  private static func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws(Command.Failure) -> String {
    guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
    return value
  }

  func run() throws(Command.Failure) {
    let daemon = try MountDaemon(directory: directory, mountpoint: mountpoint, options: options)
    if foreground {
      try daemon.run(inBackground: false) {}
      return
    }
    let (reading, writing): (Descriptor, Descriptor)
    let child: Int32?
    do throws(Errno) {
      (reading, writing) = try System.makePipe()
      child = try System.fork()
    } catch {
      throw .failed("cannot start in the background: \(error)")
    }
    guard let child else {
      System.close(reading)
      System.detach()
      try daemon.run(inBackground: true) {
        try? System.writeAll(writing, [1].span)
        System.close(writing)
        System.closeStandardStreams()
      }
      return
    }
    System.close(writing)
    var answer = ByteBuffer(capacity: 1)
    let count = try? answer.fill { buffer throws(Errno) in try System.readNext(reading, into: buffer) }
    if count == 1 { return }
    // It has said on standard error why it ended.
    throw .said(max(1, System.wait(for: child)))
  }
}

/// `bucketfs unmount`.
struct UnmountCommand {
  private let mountpoint: String

  init(_ arguments: ArraySlice<String>) throws(Command.Failure) {
    let places = arguments.filter { $0 != "--" }
    guard places.count == 1, let place = places.first, !place.hasPrefix("-") || arguments.contains("--") else {
      throw .usage("unmount takes a MOUNTPOINT")
    }
    mountpoint = place
  }

  func run() throws(Command.Failure) {
    guard let mount = MountTable.mount(at: mountpoint) else {
      throw .failed("nothing is mounted at '\(mountpoint)'")
    }
    guard mount.type == "fuse.bucketfs" else {
      throw .failed("the mount at '\(mountpoint)' is of type \(mount.type), not a bucket; use umount")
    }
    let status =
      System.effectiveUser == 0
      ? System.run(["umount", "--", mount.place]) : System.run(["fusermount3", "-u", "--", mount.place])
    // The program that failed has said why.
    if status != 0 { throw .said(1) }
  }
}
