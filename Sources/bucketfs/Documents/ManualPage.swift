/// Manual pages, from the command table.
enum ManualPage {
  /// bucketfs(1).
  static var command: String {
    var text = heading("BUCKETFS", 1, "bucketfs \\- directories as buckets, with Cloud Storage metadata")
    text += section("SYNOPSIS")
    for command in CommandTable.shown {
      for operands in command.operands {
        text += ".br\n\\fBbucketfs \(command.name)\\fR [\\fIOPTION\\fR…] \(escaped(operands))\n"
      }
    }
    text += section("DESCRIPTION")
    text += paragraph(
      """
      A bucket is a directory; each file below it is an object, whose Cloud Storage metadata bucketfs shows and keeps: \
      through a mount as extended attributes, by these commands also without one. Where a command takes a PATH, it lies \
      under a mount or in a bucket's directory.
      """)
    text += section("COMMANDS")
    for command in CommandTable.shown {
      for operands in command.operands { text += ".SS \(escaped("bucketfs " + command.name + " " + operands))\n" }
      text += paragraph(Help.capitalized(command.summary) + ".")
      for details in command.details { text += paragraph(details) }
      for option in Invocation.options(of: command) {
        text += item(option.forms.joined(separator: ", ") + (option.value.map { " \($0)" } ?? ""), option.help)
      }
      for (words, purpose) in command.examples {
        text += ".PP\nExample, \(escaped(purpose)):\n.PP\n.RS\n.EX\n\(escaped(words))\n.EE\n.RE\n"
      }
    }
    text += section("EXIT STATUS")
    text += paragraph("0 for success, 1 for a failure, 2 for wrong usage. Errors are one line each on standard error.")
    text +=
      section("SEE ALSO") + "\\fBbucketfs\\-mount\\fR(8), \\fBgetfattr\\fR(1), \\fBsetfattr\\fR(1), \\fBxattr\\fR(7)\n"
    return text
  }

  /// bucketfs-mount(8).
  static var mount: String {
    var text = heading("BUCKETFS\\-MOUNT", 8, "bucketfs\\-mount \\- mount a directory as a bucket")
    text += section("SYNOPSIS")
    text += "\\fBbucketfs mount\\fR [\\fB\\-o\\fR \\fIOPT\\fR,…] \\fIBUCKET_DIR MOUNTPOINT\\fR\n"
    text += ".br\n\\fBmount \\-t fuse.bucketfs\\fR [\\fB\\-o\\fR \\fIOPT\\fR,…] \\fIBUCKET_DIR MOUNTPOINT\\fR\n"
    text += section("DESCRIPTION")
    text += paragraph(
      """
      The files below BUCKET_DIR are objects below MOUNTPOINT. Properties are extended attributes: user.contentType, \
      user.cacheControl and so on, and user.KEY for each entry KEY of custom metadata. getfattr -d lists what was set; \
      what follows from the file, such as user.generation or user.md5Hash, is read by its name.
      """)
    text += paragraph(
      """
      A line of /etc/fstab is BUCKET_DIR MOUNTPOINT fuse.bucketfs OPTIONS 0 0. bucketfs@NAME.service mounts what \
      /etc/bucketfs/NAME.conf says: BUCKET_DIR=, MOUNTPOINT= and OPTIONS=, words such as -o allow_other.
      """)
    text += section("OPTIONS")
    for option in MountOptions.documented {
      let value = option.choices.isEmpty ? option.value : option.choices.joined(separator: "|")
      text += item(option.name + (value.map { "=\($0)" } ?? ""), option.help)
    }
    text += paragraph("All others are FUSE's and those of mount(8), such as allow_other, noexec or max_read=BYTES.")
    text += section("SIGNALS")
    text += paragraph("SIGTERM and SIGINT unmount. SIGHUP reads /etc/mime.types again.")
    text += section("FILES")
    text += item(
      "BUCKET_DIR/.bucketfs", "Locks, and metadata that an extended attribute cannot hold. Not seen in the mount.")
    text += item("/etc/mime.types", "Content types for names that bucketfs has none for.")
    text +=
      section("SEE ALSO") + "\\fBbucketfs\\fR(1), \\fBfusermount3\\fR(1), \\fBmount.fuse3\\fR(8), \\fBfstab\\fR(5)\n"
    return text
  }

  private static func heading(_ name: String, _ section: Int, _ line: String) -> String {
    ".TH \(name) \(section) \"\" \"bucketfs \(Command.version)\"\n.SH NAME\n\(line)\n"
  }

  private static func section(_ title: String) -> String { ".SH \(title)\n" }

  private static func paragraph(_ text: String) -> String { ".PP\n\(escaped(text))\n" }

  private static func item(_ term: String, _ text: String) -> String {
    ".TP\n\\fB\(escaped(term))\\fR\n\(escaped(Help.capitalized(text)))\n"
  }

  /// Text that troff prints as it is.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "…": result += "..."
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}
