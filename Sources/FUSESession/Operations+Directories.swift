internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

extension Operations {
  /// OPENDIR, READDIR, READDIRPLUS, RELEASEDIR, FSYNCDIR.
  static func addDirectories(to table: inout fuse_lowlevel_ops) {
    table.opendir = { request, node, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.openDirectory(NodeID(rawValue: node))
      } reply: { reply, opened, _ in
        reply.openedDirectory(opened.handle, keepsEntries: opened.keepsEntries, &info!.pointee)
      }
    }
    table.readdir = { request, _, size, offset, info in
      readDirectory(request, size, Int64(offset), info!.pointee.fh, plus: false)
    }
    table.readdirplus = { request, _, size, offset, info in
      readDirectory(request, size, Int64(offset), info!.pointee.fh, plus: true)
    }
    table.releasedir = { request, _, info in
      serve(request) { served throws(Errno) in try served.fileSystem.releaseDirectory(info!.pointee.fh) }
    }
    table.fsyncdir = { request, _, dataOnly, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.synchronizeDirectory(info!.pointee.fh, dataOnly: dataOnly != 0)
      }
    }
  }
}

private func readDirectory(
  _ request: fuse_req_t?, _ size: Int, _ offset: Int64, _ handle: UInt64, plus: Bool
) {
  serve(request) { served throws(Errno) in
    try served.worker.output.fill { memory throws(Errno) in
      var sink = DirectoryReply(request: request!, memory: memory, size: size, plus: plus)
      do throws(Errno) {
        try served.fileSystem.readDirectory(
          handle, from: offset, plus: plus, caller: served.caller, into: &sink)
      } catch {
        // What was added already counts as looked up: the kernel has to be told of it, and asks again for the rest.
        if sink.count == 0 { throw error }
      }
      return sink.count
    }
  } reply: { reply, _, served in
    reply.bytes(served.worker.output)
  }
}

/// The buffer of a READDIR reply.
private struct DirectoryReply: DirectorySink, ~Copyable {
  let request: fuse_req_t
  let memory: UnsafeMutableRawBufferPointer
  let size: Int
  let plus: Bool
  private(set) var count = 0

  init(request: fuse_req_t, memory: UnsafeMutableRawBufferPointer, size: Int, plus: Bool) {
    self.request = request
    self.memory = memory
    self.size = min(size, memory.count)
    self.plus = plus
  }

  /// `fuse_dirent` takes 24 bytes, `fuse_direntplus` 128 more, the name is padded to 8.
  func hasRoom(forName length: Int) -> Bool {
    count + (plus ? 152 : 24) + (length + 7) & ~7 <= size
  }

  mutating func add(_ name: Span<UInt8>, inode: UInt64, type: UInt32, next: Int64) {
    var attributes = stat()
    attributes.st_ino = ino_t(inode)
    attributes.st_mode = mode_t(type)
    let request = request
    if plus {
      var parameters = fuse_entry_param()
      parameters.attr = attributes
      add(name) { name, space in
        fuse_add_direntry_plus(request, space.baseAddress, space.count, name, &parameters, off_t(next))
      }
    } else {
      add(name) { name, space in
        fuse_add_direntry(request, space.baseAddress, space.count, name, &attributes, off_t(next))
      }
    }
  }

  mutating func add(_ name: Span<UInt8>, _ entry: Entry, next: Int64) {
    let request = request
    var parameters = fuse_entry_param(entry)
    add(name) { name, space in
      fuse_add_direntry_plus(request, space.baseAddress, space.count, name, &parameters, off_t(next))
    }
  }

  private mutating func add(
    _ name: Span<UInt8>, _ add: (UnsafePointer<CChar>, UnsafeMutableBufferPointer<CChar>) -> Int
  ) {
    let space = UnsafeMutableRawBufferPointer(rebasing: memory[count..<size]).bindMemory(to: CChar.self)
    // The names of getdents64 have a NUL behind them.
    count += name.withUnsafeBytes { bytes in
      add(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), space)
    }
  }
}
