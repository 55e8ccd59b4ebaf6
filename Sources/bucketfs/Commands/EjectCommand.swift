internal import Bucket
internal import SystemCalls

/// `bucketfs eject`: makes a bucket an ordinary directory again.
struct EjectCommand {
  static let description = CommandDescription(
    name: "eject", summary: "make a bucket an ordinary directory again", operands: ["BUCKET_DIR"],
    operandKind: .folder, count: 1...1, options: [],
    details: [
      """
      Writes all metadata back as plain extended attributes, as far as the filesystem holds them, and removes .bucketfs. \
      Prints a line for each thing that they could not hold; the status is then 1. Unmount the bucket first.
      """
    ],
    run: { invocation throws(Command.Failure) in try run(invocation.operands[0]) })

  private static func run(_ directory: Argument) throws(Command.Failure) {
    let store = try BucketArgument.open(directory, readOnly: false)
    if let place = mountpoint(of: store) {
      // Its daemon would go on with records, and with a lock that nobody else knows any more.
      throw .failed("the bucket '\(directory.text)' is mounted at '\(place)'; unmount it first")
    }
    var losses = 0
    let progress = Progress("objects and folders ejected")
    do throws(StoreError) {
      defer { progress.end() }
      try BucketEject.run(store) {
        progress.count()
      } report: { loss in
        losses += 1
        Output.print("\(loss.name.isEmpty ? "." : loss.name.displayed): \(loss.reason)\n")
      }
    } catch {
      throw .failed("cannot eject the bucket '\(directory.text)': \(error)")
    }
    if losses > 0 { throw .said(1) }
  }

  /// Where the bucket is mounted, as far as this process sees mounts.
  private static func mountpoint(of store: BucketStore) -> String? {
    guard let root = try? System.status(of: store.root) else { return nil }
    return MountTable.mounts().first { mount in
      guard mount.type == "fuse.bucketfs",
        let source = try? System.status(of: mount.source.span, in: .workingDirectory)
      else { return false }
      return source.device == root.device && source.inode == root.inode
    }?.place
  }
}
