import Bucket
import BucketFileSystem
import CTestSupport
import FUSESession
import Glibc
import SystemCalls

/// Raw FUSE requests into a session without a kernel: each gets exactly one reply, or none where none is due, and nothing
/// outside the bucket is touched.
final class RequestTarget: FuzzTarget {
  private let place = Tree.workspace()
  private let thread: RequestThread
  private let view: XattrView
  private let around: [[UInt8]: String]

  private var bucket: [UInt8] { place + "/bucket".utf8 }
  private var outside: [UInt8] { place + "/outside".utf8 }

  init() throws {
    Tree.makeFolder(place + "/bucket".utf8)
    Tree.makeFolder(place + "/outside".utf8)
    Tree.write(place + "/outside/secret".utf8, Array("secret".utf8))
    around = Tree.state(place + "/outside".utf8)
    let root = place + "/bucket".utf8
    let store = try BucketStore.open(root.span, name: Array("bucket".utf8), readOnly: false)
    view = XattrView(
      store: store, mediaTypes: MediaTypes(systemPath: Array("/nonexistent".utf8)), hasher: try ContentHasher(),
      options: XattrOptions())
    thread = try RequestThread()
    signal(SIGXFSZ, SIG_IGN)
  }

  func run(_ bytes: [UInt8]) {
    Tree.empty(bucket)
    Tree.write(bucket + "/forest.jpg".utf8, Array("hello world".utf8))
    Tree.makeFolder(bucket + "/photos".utf8)
    Tree.link(bucket + "/link".utf8, to: outside)
    // No request may fill the disk; a reply must fit a message.
    setFileSizeLimit(150_000)
    do {
      try serve(bytes)
    } catch {
      demand(false, "a session cannot be made: \(error)")
    }
    setFileSizeLimit(rlim_t.max)
    demand(Tree.state(outside) == around, "a request has changed what is outside the bucket")
    demand(Tree.names(place).count == 2, "a request has made something outside the bucket")
  }

  private func serve(_ bytes: [UInt8]) throws {
    let fileSystem = try BucketFileSystem(
      root: try System.open([UInt8(ascii: ".")].span, in: view.store.root, [.path, .directory]), xattrs: view,
      options: FileSystemOptions(), descriptorLimit: 256, backings: .none)
    let kernel = try BareKernel(
      try Session(fileSystem, backings: SessionBackings { _ in }, options: ["default_permissions"], hasPosixACLs: true),
      thread)
    var input = Input(bytes)
    let choice = input.byte()
    if choice & 1 == 0 { kernel.initialize() }
    for _ in 0..<32 where !input.isEmpty { kernel.send(&input) }
    kernel.end()
  }

  private func setFileSizeLimit(_ bytes: rlim_t) {
    var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
}
