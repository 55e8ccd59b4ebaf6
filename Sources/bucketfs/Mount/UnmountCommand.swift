internal import SystemCalls

/// `bucketfs unmount`.
struct UnmountCommand {
  static let description = CommandDescription(
    name: "unmount", summary: "take a mount away", operands: ["MOUNTPOINT"], operandKind: .folder, count: 1...1,
    options: [], details: ["umount(8) and, for an ordinary user, `fusermount3 -u` do the same."],
    run: { invocation throws(Command.Failure) in try run(invocation.operands[0].text) })

  private static func run(_ mountpoint: String) throws(Command.Failure) {
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
