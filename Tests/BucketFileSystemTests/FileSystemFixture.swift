import Bucket
import SystemCalls
import TestSupport

import struct BucketFileSystem.Caller
@testable import BucketFileSystem

/// A bucket in a directory of its own as a file system without a kernel: the test makes its requests.
final class FileSystemFixture {
  let directory: Path
  let fileSystem: BucketFileSystem
  let worker: Worker

  /// Calls `body` with a new one, on a thread of its own: a worker changes its thread's umask.
  static func with<Result>(
    descriptorLimit: Int = 4096, backings: BackingRegistry = .none, _ body: (FileSystemFixture) throws -> Result
  ) throws -> Result {
    try TemporaryDirectory.with { directory in
      try TestSupport.Caller(user: System.effectiveUser, group: System.effectiveGroup).run {
        try body(FileSystemFixture(directory, descriptorLimit: descriptorLimit, backings: backings))
      }
    }
  }

  private init(_ directory: Path, descriptorLimit: Int, backings: BackingRegistry) throws {
    self.directory = directory
    let view = XattrView(
      store: try BucketStore.open(directory.bytes.span, name: Array("bucket".utf8), readOnly: false),
      mediaTypes: MediaTypes(systemPath: Array("/nonexistent".utf8)), hasher: try ContentHasher(threads: 0),
      options: XattrOptions(), status: { _ in })
    fileSystem = try BucketFileSystem(
      root: System.open(directory.bytes.span, in: .workingDirectory, [.path, .directory]), xattrs: view,
      options: FileSystemOptions(), descriptorLimit: descriptorLimit, backings: backings)
    worker = Worker()
  }

  /// Who asks: the test's own user, on a thread of that number.
  func caller(thread: Int32 = 1) -> Caller {
    Caller(
      user: System.effectiveUser, group: System.effectiveGroup, thread: thread, umask: 0o022)
  }

  func lookup(_ name: String, thread: Int32 = 1) throws -> NodeID {
    try fileSystem.lookup(Array(name.utf8).span, in: .root, caller: caller(thread: thread)).node
  }

  /// Makes an empty file and closes it.
  func create(_ name: String) throws -> NodeID {
    let (entry, opened) = try fileSystem.create(
      Array(name.utf8).span, in: .root, mode: 0o100644, flags: .readWrite, caller: caller(), worker: worker)
    try fileSystem.release(opened.handle, worker: worker)
    return entry.node
  }

  func unlink(_ name: String) throws {
    try fileSystem.unlink(Array(name.utf8).span, in: .root, caller: caller(), worker: worker)
  }

  func rename(_ name: String, to newName: String, _ flags: RenameFlags = []) throws {
    try fileSystem.rename(
      Array(name.utf8).span, in: .root, to: Array(newName.utf8).span, in: .root, flags: flags, caller: caller(),
      worker: worker)
  }

  func generation(of node: NodeID) throws -> UInt64 {
    let inode = try fileSystem.table.inode(node)
    return try fileSystem.table.withDescriptor(of: inode) { file throws(Errno) in
      fileSystem.generation(of: file, try System.status(of: file), worker: worker)
    }
  }

  /// The object's name as the thread knows it.
  func fullPath(of node: NodeID, thread: Int32 = 1) throws -> String {
    var output = ByteBuffer(capacity: 4096)
    let naming = NodeNaming(fileSystem: fileSystem, inode: try fileSystem.table.inode(node), thread: thread)
    try naming.appendObjectName(to: &output)
    return output.span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
