/// The mount options of bucketfs's own, for the manual and for completion.
extension MountOptions {
  /// One mount option.
  struct Documented: Sendable {
    let name: String
    /// What its value is called; nil for one without.
    var value: String?
    /// The values that there are, where they are few.
    var choices: [String] = []
    let help: String
  }

  /// In the order of the manual.
  static let documented: [Documented] = [
    Documented(name: "bucket", value: "NAME", help: "The bucket's name; that of the directory where it is not given."),
    Documented(
      name: "list", choices: ["stored", "all"],
      help: """
        Which attributes are listed: those that are stored and may be set back, the default, or all that can be read. \
        Copying with all fails at what is read-only.
        """),
    Documented(
      name: "names", choices: ["properties", "http"],
      help: """
        How properties are named: user.contentType, the default, or as HTTP headers, user.content-type, which rclone and \
        others use. Both are accepted always.
        """),
    Documented(
      name: "foreign", choices: ["refuse", "keep"],
      help: """
        What becomes of a value for a read-only property, user.size say, that a copy brings along: refused, the default, \
        or kept as the custom entry of that key.
        """),
    Documented(
      name: "replace", choices: ["auto", "keep", "drop"],
      help: """
        Whether a new file renamed over an object takes over its metadata: when the same process made it, the default; \
        always, what it has not set itself; or never.
        """),
    Documented(name: "verify-md5", help: "Refuse an md5Hash that is not the content's."),
    Documented(name: "ro", help: "Change nothing in the bucket's directory, access times included."),
    Documented(
      name: "attr_timeout", value: "SECONDS",
      help: """
        How long the kernel may trust attributes; 1. Changes made in the directory itself show as late. More than 1, for \
        these and for names, takes watch=auto.
        """),
    Documented(name: "entry_timeout", value: "SECONDS", help: "How long the kernel may trust names; 1."),
    Documented(
      name: "negative_timeout", value: "SECONDS", help: "How long the kernel may trust that a name does not exist; 0."),
    Documented(
      name: "watch", choices: MountOptions.Watching.allCases.map(\.rawValue),
      help: """
        Whether to watch the filesystem of the directory, so that changes made there show at once however long the \
        kernel may trust what it knows: never, the default; or auto, which takes root and a filesystem with stable \
        handles, and where they lack says so and trusts nothing for more than 1 second.
        """),
    Documented(
      name: "transport", choices: MountTransport.allCases.map(\.rawValue),
      help: """
        How requests come from the kernel: by FUSE over io_uring where the kernel offers it, the default; through \
        /dev/fuse alone; or by io_uring or not at all.
        """),
    Documented(
      name: "uring_depth", value: "NUMBER", help: "How many requests each ring of io_uring holds at most."),
    Documented(
      name: "sandbox", choices: ["auto", "off"],
      help: """
        Whether the daemon gives up every right that it does not need, and, by Landlock, every file outside the bucket's \
        directory: as far as the kernel lets it, the default, or not. A second small process then takes the mount away, \
        also when the daemon is killed.
        """),
    Documented(name: "max_threads", value: "NUMBER", help: "How many threads serve requests at most; 16."),
    Documented(
      name: "log-level", choices: ["debug", "info", "warning", "error"],
      help: "From which level on there are lines in the log; warning."),
    Documented(name: "log-format", choices: ["text", "json"], help: "Lines of the log as text or as JSON."),
  ]
}
