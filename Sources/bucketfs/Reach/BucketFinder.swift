internal import Bucket
internal import SystemCalls

/// Finds the bucket that a path leads into.
///
/// Under a mount it is the mount. Elsewhere it is, in this order, the directory that `--bucket-dir` names, the nearest
/// folder above with a `.bucketfs` in it, or the directory of a mounted bucket. Where none of these is found, the path is
/// taken for the bucket's own, a file's folder in its place: good enough to look, while a change asks for `--bucket-dir`,
/// since a bucket must not be begun inside another.
final class BucketFinder {
  private let directory: Argument?
  private let name: [UInt8]?
  private let isForChange: Bool
  private let takesAnyFolder: Bool
  /// Read once, however many buckets there are.
  private static let mediaTypes = MediaTypes()
  private var buckets: [[UInt8]: BucketAccess] = [:]
  private lazy var mount = BucketAccess(.mount)

  /// - Parameters:
  ///   - forChange: whether metadata is to be changed.
  ///   - takesAnyFolder: whether a change takes a folder for a bucket's directory where no bucket is known above it.
  init(_ invocation: Invocation, forChange: Bool = false, takesAnyFolder: Bool = false) {
    self.takesAnyFolder = takesAnyFolder
    directory = invocation.value("bucket-dir")
    name = invocation.value("bucket")?.bytes
    isForChange = forChange
  }

  /// A path of the command line, opened, and the bucket that it is in.
  struct Found: ~Copyable {
    let access: BucketAccess
    private let owner: OwnedDescriptor
    let object: Reached

    fileprivate init(_ access: BucketAccess, _ owner: consuming OwnedDescriptor, _ object: Reached) {
      self.access = access
      self.owner = owner
      self.object = object
    }
  }

  /// Opens `path`, following symlinks.
  func find(_ path: Argument) throws(Command.Failure) -> Found {
    let opened = try Self.open(path)
    let status = opened.status
    let file = opened.file
    guard status.isRegular || status.isDirectory else {
      throw .failed("'\(path.text)' is neither a file nor a folder, so it has no properties")
    }
    var object = Reached(
      file: file.descriptor, kind: status.isDirectory ? .folder : .object, name: [], path: path.bytes)
    if directory == nil, Self.isUnderMount(file.descriptor) {
      object.name = try Self.mountedName(object)
      if status.isDirectory, object.name.isEmpty { object.kind = .rootFolder }
      return Found(mount, file, object)
    }
    let place = try place(of: path, isFolder: status.isDirectory)
    object.name = place.name
    if place.name.isEmpty { object.kind = .rootFolder }
    return Found(try access(to: place.root), file, object)
  }

  private static func open(_ path: Argument) throws(Command.Failure) -> Opened {
    do throws(Errno) {
      let file = try System.open(path.bytes.span, in: .workingDirectory, [.path])
      return Opened(status: try System.status(of: file.descriptor), file: file)
    } catch {
      throw .failed("cannot open '\(path.text)': \(error.explained)")
    }
  }

  private struct Opened: ~Copyable {
    let status: FileStatus
    let file: OwnedDescriptor
  }

  /// Whether a file is an object of a mounted bucket. Only our own answers to that name.
  private static func isUnderMount(_ file: Descriptor) -> Bool {
    guard (try? System.fileSystemType(of: file)) == fuseType else { return false }
    var none = ByteBuffer(capacity: 0)
    do throws(Errno) {
      _ = try none.fill { memory throws(Errno) in
        try System.getXattr(("user.bucketfs.json" as StaticString).bytes, of: file, into: memory)
      }
      return true
    } catch {
      // An unusable record is one of ours too.
      return error != .noData && error != .notSupported
    }
  }

  /// FUSE_SUPER_MAGIC
  private static let fuseType = 0x6573_5546

  private static func mountedName(_ object: Reached) throws(Command.Failure) -> [UInt8] {
    var name = ByteBuffer(capacity: 1 << 16)
    do throws(Errno) {
      _ = try name.fill { memory throws(Errno) in
        try System.getXattr(("user.fullPath" as StaticString).bytes, of: object.file, into: memory)
      }
    } catch {
      throw .failed("cannot read fullPath of '\(object.shown)': \(error)")
    }
    return name.span.array
  }

  private func access(to root: [UInt8]) throws(Command.Failure) -> BucketAccess {
    if let known = buckets[root] { return known }
    let shown = String(decoding: root, as: UTF8.self)
    let store: BucketStore
    do throws(BucketOpenError) {
      store = try BucketStore.open(root.span, name: name, readOnly: !isForChange)
    } catch {
      throw .failed("cannot open the bucket '\(shown)': \(error.description(of: shown))")
    }
    do throws(Errno) {
      // Nobody waits here but the one who asked, so that it needs no threads.
      let hasher = try ContentHasher(threads: 0)
      let access = BucketAccess(.directory(MetadataReader(store: store, mediaTypes: Self.mediaTypes, hasher: hasher)))
      buckets[root] = access
      return access
    } catch {
      throw .failed("cannot open the bucket '\(shown)': \(error)")
    }
  }
}

/// Where a bucket's directory begins.
extension BucketFinder {
  private static var slash: UInt8 { UInt8(ascii: "/") }

  /// The root of the bucket that holds `path`, and the object name there.
  private func place(
    of path: Argument, isFolder: Bool
  ) throws(Command.Failure) -> (root: [UInt8], name: [UInt8]) {
    let real = try Self.real(path)
    let root: [UInt8]
    if let directory {
      root = try Self.real(directory)
      guard Self.isBelow(real, root) else {
        throw .failed("'\(path.text)' does not lie in the bucket directory '\(directory.text)'")
      }
    } else if let known = Self.known(above: real, isFolder: isFolder) {
      root = known
    } else if isForChange, !(takesAnyFolder && isFolder) {
      throw .failed("no bucket is known above '\(path.text)': name its directory with --bucket-dir")
    } else {
      root = isFolder ? real : Self.folder(of: real)
    }
    let name = Array(real.dropFirst(root.count).drop { $0 == Self.slash })
    if name.starts(with: ".bucketfs".utf8), name.count == 9 || name[9] == Self.slash {
      throw .failed("'\(path.text)' belongs to bucketfs and is no object")
    }
    return (root, name)
  }

  private static func real(_ path: Argument) throws(Command.Failure) -> [UInt8] {
    do throws(Errno) {
      return try System.realPath(path.bytes.span)
    } catch {
      throw .failed("cannot open '\(path.text)': \(error.explained)")
    }
  }

  /// The nearest folder, from the path upwards, that is known to be a bucket.
  private static func known(above path: [UInt8], isFolder: Bool) -> [UInt8]? {
    let mounted = MountTable.mounts().filter { $0.type == "fuse.bucketfs" }.map(\.source)
    var folder = isFolder ? path : self.folder(of: path)
    while true {
      let mark = folder + (folder.last == slash ? [] : [slash]) + ".bucketfs".utf8
      if (try? System.status(of: mark.span, in: .workingDirectory))?.isDirectory == true { return folder }
      if mounted.contains(folder) { return folder }
      if folder.count <= 1 { return nil }
      folder = self.folder(of: folder)
    }
  }

  private static func folder(of path: [UInt8]) -> [UInt8] {
    let end = path.lastIndex(of: slash) ?? 0
    return end == 0 ? [slash] : Array(path[..<end])
  }

  private static func isBelow(_ path: [UInt8], _ root: [UInt8]) -> Bool {
    path == root || path.starts(with: root.last == slash ? root : root + [slash])
  }
}
