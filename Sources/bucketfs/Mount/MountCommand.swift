internal import SystemCalls

/// `bucketfs mount`: reads the arguments, and returns when the mount answers.
struct MountCommand {
  static let description = CommandDescription(
    name: "mount", summary: "mount a directory as a bucket", operands: ["BUCKET_DIR MOUNTPOINT"],
    operandKind: .folder, count: 2...2,
    options: [
      OptionDescription(
        name: "foreground", letter: "f", help: "stay in the foreground and write the log to standard error"),
      OptionDescription(
        name: "bucket", value: "NAME", help: "the bucket's name; that of the directory where it is not given"),
      OptionDescription(
        name: "log-level", value: "LEVEL", kind: .oneOf(["debug", "info", "warning", "error"]),
        help: "from which level on there are lines in the log; warning"),
      OptionDescription(
        name: "log-format", value: "FORMAT", kind: .oneOf(["text", "json"]), help: "text, or an object a line"),
      OptionDescription(
        name: nil, letter: "o", value: "OPT,…",
        help: "mount options: bucketfs's own, which bucketfs-mount(8) lists, and those of FUSE and mount(8)"),
    ],
    details: [
      """
      Returns when the mount answers; a daemon in the background serves it until it is unmounted or ended by SIGTERM, \
      and logs to syslog. SIGHUP has it read /etc/mime.types again. In the foreground it tells systemd when it is ready \
      (Type=notify).
      """
    ],
    examples: [("bucketfs mount ~/site ~/mnt", "the files below ~/site as objects below ~/mnt")],
    run: { invocation throws(Command.Failure) in try MountCommand(invocation).run() })

  private var foreground = false
  private var options = MountOptions()
  private var directory = ""
  private var mountpoint = ""

  init(_ invocation: Invocation, isHelper: Bool = false) throws(Command.Failure) {
    for words in invocation.all("o") { try options.add(words.text) }
    if let level = invocation.value("log-level") {
      options.logLevel = try MountOptions.level("--log-level", level.text)
    }
    if let format = invocation.value("log-format") {
      options.logFormat = try MountOptions.choice("--log-format", format.text)
    }
    if let bucket = invocation.value("bucket") { options.bucket = bucket.text }
    if let bucket = options.bucket, bucket.isEmpty || bucket.contains("/") {
      throw .usage("'\(bucket)' cannot be a bucket's name", invocation.command)
    }
    try options.checkTimeouts(invocation.command)
    foreground = !isHelper && invocation.has("foreground")
    directory = invocation.operands[0].text
    mountpoint = invocation.operands[1].text
  }

  func run() throws(Command.Failure) {
    System.closeInheritedDescriptors()
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
