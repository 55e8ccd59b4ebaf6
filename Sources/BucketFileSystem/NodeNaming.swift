internal import Bucket
internal import SystemCalls

/// What an inode's object is called: by the name of the calling thread's latest lookup where there are several.
struct NodeNaming: ObjectNaming {
  let fileSystem: BucketFileSystem
  let inode: Inode
  /// The name that the thread has just looked up, of a file with several.
  private let used: LinkNames.Place?

  init(fileSystem: BucketFileSystem, inode: Inode, thread: Int32) {
    self.fileSystem = fileSystem
    self.inode = inode
    used = inode.hasLinks ? fileSystem.links.take(inode, thread: thread) : nil
  }

  func appendObjectName(to output: inout ByteBuffer) throws(Errno) {
    if inode === fileSystem.table.root { return }
    let place = try place()
    try append(place.parent, to: &output, depth: 0)
    output.append(place.name.span)
  }

  func appendLastComponent(to output: inout ByteBuffer) throws(Errno) {
    if inode === fileSystem.table.root { return }
    let name = try place().name
    output.append(name.span)
  }

  /// Appends the path of a folder with a slash behind it, nothing for the root.
  private func append(_ folder: Inode, to output: inout ByteBuffer, depth: Int) throws(Errno) {
    if folder === fileSystem.table.root { return }
    // A path is at most PATH_MAX when it is used, but a folder may lie deeper; a ring would be a fault of ours.
    guard depth < 4096, let place = fileSystem.table.place(of: folder) else { throw .noData }
    try append(place.parent, to: &output, depth: depth + 1)
    output.append(place.name.span)
    output.append(UInt8(ascii: "/"))
  }

  private func place() throws(Errno) -> (parent: Inode, name: [UInt8]) {
    guard inode.hasLinks else {
      guard let place = fileSystem.table.place(of: inode) else { throw .noData }
      return place
    }
    if let used, isStillThere(used) { return (used.parent, used.name) }
    for candidate in fileSystem.links.known(of: inode) where isStillThere(candidate) {
      return (candidate.parent, candidate.name)
    }
    throw .noData
  }

  private func isStillThere(_ place: LinkNames.Place) -> Bool {
    let status = try? fileSystem.table.withDescriptor(of: place.parent) { parent throws(Errno) in
      try System.status(of: place.name.span, in: parent)
    }
    return status.map { inode.matches($0) } ?? false
  }
}
