/// The program as mount(8) calls it for a line of fstab: by the name `mount.fuse.bucketfs`.
enum MountHelper {
  /// Whether that is the name that the program was called by.
  static func isName(_ program: Argument) -> Bool {
    let name = program.text.split(separator: "/").last ?? ""
    return name == "mount.fuse.bucketfs" || name == "mount.bucketfs"
  }

  /// mount(8)'s own options: sloppy, no mtab, verbose, fake, a namespace and the type.
  ///
  /// Source: mount(8), "External helpers".
  static let description = CommandDescription(
    name: "mount.fuse.bucketfs", summary: "mount a bucket for mount(8)", operands: ["BUCKET_DIR MOUNTPOINT"],
    operandKind: .folder, count: 2...2,
    options: ["s", "n", "v"].map { letter in
      OptionDescription(name: nil, letter: letter, help: "ignored")
    } + [
      OptionDescription(name: nil, letter: "f", help: "do everything but mount"),
      OptionDescription(name: nil, letter: "t", value: "TYPE", help: "ignored"),
      OptionDescription(name: nil, letter: "N", value: "NAMESPACE", help: "ignored"),
      OptionDescription(name: nil, letter: "o", value: "OPT,…", help: "mount options"),
    ], details: [], isHidden: true,
    run: { invocation throws(Command.Failure) in
      // -f is mount(8)'s here, and not the foreground.
      let command = try MountCommand(invocation, isHelper: true)
      if !invocation.has("f") { try command.run() }
    })
}
