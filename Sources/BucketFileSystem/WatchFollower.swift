internal import Bucket
internal import SystemCalls

/// The thread that reads a watch's events and has the kernel forget what they are of.
///
/// An event names files by handles. These are opened to find device and inode, and by them the inode that the kernel
/// knows, if it knows any: nothing has to be kept for each file that is remembered.
final class WatchFollower {
  /// What the kernel is asked to forget once more, since an answer on its way to it may be older than the change.
  private enum Notice {
    case attributes(NodeID)
    case name(NodeID, [UInt8])
  }

  private let watch: Watch
  private let fileSystem: BucketFileSystem
  /// Folders in which names changed, to be told of once for all events that were read together.
  private var folders: Set<NodeID> = []
  private var repeats: [(due: UInt64, notice: Notice)] = []

  /// Nanoseconds after which a request that was under way is long over.
  private static let repeatDelay: UInt64 = 50_000_000

  private var table: InodeTable { fileSystem.table }
  private var kernel: KernelCache { fileSystem.kernel }

  init(watch: Watch, fileSystem: BucketFileSystem) {
    self.watch = watch
    self.fileSystem = fileSystem
  }

  /// Follows the watch until it is stopped.
  func run() {
    var buffer = ByteBuffer(capacity: 1 << 16)
    while true {
      let timeout = repeats.first.map { Int32(clamping: ($0.due - min($0.due, Clock.monotonic)) / 1_000_000 + 1) }
      let ready = System.wait(
        events: watch.events.descriptor, stop: watch.stopping.descriptor, mounts: watch.mounts.descriptor,
        milliseconds: timeout)
      if ready.contains(.stop) { return }
      if ready.contains(.mounts), watch.lookForMounts() { forgetEverything() }
      if ready.contains(.events) {
        let count = try? buffer.fill { memory throws(Errno) in
          try System.readEvents(watch.events.descriptor, into: memory)
        }
        if count == nil { forgetEverything() }
        follow(buffer.span)
      }
      repeatNotices()
    }
  }

  private func follow(_ bytes: Span<UInt8>) {
    var start = 0
    while let event = ChangeEvent(bytes, at: start) {
      start = event.end
      if event.kinds.contains(.overflow) {
        forgetEverything()
      } else if event.process != watch.process {
        follow(event, bytes)
      }
    }
    for folder in folders { _ = kernel.forgetAttributes(folder) }
    folders.removeAll(keepingCapacity: true)
  }

  private func follow(_ event: ChangeEvent, _ bytes: Span<UInt8>) {
    fileSystem.watchCounts.noteEvent()
    let name = event.name ?? 0..<0
    let isFolderItself = name.count == 1 && bytes[name.lowerBound] == UInt8(ascii: ".")
    if !event.kinds.isDisjoint(with: .names), !isFolderItself, !name.isEmpty, let folder = event.folder {
      withFile(folder, bytes) { directory, _, inode in nameChanged(bytes.extracting(name), in: inode, directory) }
    }
    guard !event.kinds.isDisjoint(with: [.attributes, .written, .movedTo]) else { return }
    guard let target = isFolderItself ? event.folder : event.target else { return }
    withFile(target, bytes) { _, status, inode in
      // The one event that tells of no name is that of the number of links.
      attributesChanged(of: inode, status, areLinks: event.folder == nil)
    }
  }

  /// Calls `body` with an O_PATH descriptor of a handle's file, if the kernel knows that file.
  private func withFile(
    _ handle: ChangeEvent.Handle, _ bytes: Span<UInt8>, _ body: (Descriptor, FileStatus, Inode) -> Void
  ) {
    guard let place = watch.place(of: handle.fileSystem) else { return }
    let bytes = bytes.extracting(handle.bytes)
    do throws(Errno) {
      let file: OwnedDescriptor
      if place.mountpoint.isEmpty {
        file = try System.open(handle: bytes, onFileSystemOf: watch.root.descriptor)
      } else {
        // Not kept open: it would keep the filesystem from being unmounted.
        let folder = try System.open(place.mountpoint.span, in: .workingDirectory, [.readOnly, .directory])
        file = try System.open(handle: bytes, onFileSystemOf: folder.descriptor)
      }
      let status = try System.status(of: file.descriptor)
      guard let inode = table.known(InodeKey(device: status.device, inode: status.inode)) else { return }
      body(file.descriptor, status, inode)
    } catch .staleFileHandle {
      // It is gone, which the event of its last name has told.
    } catch {
      Log.write(.warning, .watch, "a change cannot be followed, the kernel is to forget everything: \(error)")
      forgetEverything()
    }
  }

  private func nameChanged(_ name: Span<UInt8>, in folder: Inode, _ directory: Descriptor) {
    if fileSystem.isPrivate(name, in: folder) { return }
    table.noteListing(of: folder, began: 0)
    folders.insert(folder.id)
    let status = try? System.status(of: name, in: directory)
    let isKnown = kernel.forgetName(folder.id, name, status == nil)
    guard let status else { return }
    if isKnown { note(.name(folder.id, Array(name))) }
    guard let inode = table.known(InodeKey(device: status.device, inode: status.inode)), inode.born == status.born
    else { return }
    // Whatever is at its old name, this is where it can be opened again.
    if !inode.hasLinks, status.linkCount == 1 || inode.isDirectory { table.setPlace(of: inode, (folder, Array(name))) }
  }

  private func attributesChanged(of inode: Inode, _ status: FileStatus, areLinks: Bool) {
    if areLinks, inode.isRegular, status.linkCount > 1 { linksChanged(of: inode) }
    if !kernel.forgetAttributes(inode.id) { note(.attributes(inode.id)) }
  }

  /// A file was given another name or lost one: from now on it must be known by which it is used, and the kernel has to
  /// look up those that it trusts from before.
  private func linksChanged(of inode: Inode) {
    if !inode.hasLinks, let place = table.place(of: inode) {
      fileSystem.links.note(inode, name: place.name.span, parent: place.parent, thread: 0)
      inode.markLinked()
    }
    for place in fileSystem.links.known(of: inode) where kernel.forgetName(place.parent.id, place.name.span, false) {
      note(.name(place.parent.id, place.name))
    }
  }

  private func note(_ notice: Notice) {
    repeats.append((Clock.monotonic + Self.repeatDelay, notice))
  }

  private func repeatNotices() {
    let now = Clock.monotonic
    let due = repeats.prefix { $0.due <= now }
    guard !due.isEmpty else { return }
    for (_, notice) in due {
      switch notice {
      case .attributes(let node): _ = kernel.forgetAttributes(node)
      case .name(let folder, let name): _ = kernel.forgetName(folder, name.span, false)
      }
    }
    repeats.removeFirst(due.count)
  }

  /// What changed is not known, so that everything may have.
  private func forgetEverything() {
    fileSystem.watchCounts.noteOverflow()
    let areForgotten = kernel.forgetAllNames()
    _ = kernel.forgetAttributes(.root)
    table.forEachInode { inode, place in
      _ = kernel.forgetAttributes(inode.id)
      if inode.isDirectory { table.noteListing(of: inode, began: 0) }
      // Names that do not exist lie below folders, and go with these.
      if !areForgotten, let place { _ = kernel.forgetName(place.parent.id, place.name.span, inode.isDirectory) }
    }
  }
}
