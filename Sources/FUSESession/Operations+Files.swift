internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

extension Operations {
  /// CREATE, OPEN, READ, WRITE, FLUSH, RELEASE, FSYNC, FALLOCATE, LSEEK, COPY_FILE_RANGE.
  static func addFiles(to table: inout fuse_lowlevel_ops) {
    table.create = { request, parent, name, mode, info in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.create(
            name, in: NodeID(rawValue: parent), mode: mode, flags: OpenFlags(rawValue: info!.pointee.flags),
            caller: served.caller, worker: served.worker)
        }
      } reply: { reply, created, _ in
        reply.created(created.0, created.1, &info!.pointee)
      }
    }
    table.open = { request, node, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.open(
          NodeID(rawValue: node), flags: OpenFlags(rawValue: info!.pointee.flags), caller: served.caller,
          worker: served.worker)
      } reply: { reply, file, _ in
        reply.opened(file, &info!.pointee)
      }
    }
    table.read = { request, _, size, offset, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.file(info!.pointee.fh)
      } reply: { reply, file, _ in
        reply.content(of: file.descriptor, at: Int64(offset), size: size)
      }
    }
    table.write_buf = { request, _, data, offset, info in
      serve(request) { served throws(Errno) in
        let file = try served.fileSystem.file(info!.pointee.fh)
        try served.fileSystem.prepareWrite(file, caller: served.caller, worker: served.worker)
        return try write(data!, to: file, at: Int64(offset))
      } reply: { reply, count, _ in
        reply.written(count)
      }
    }
    table.flush = { request, _, info in
      serve(request) { served throws(Errno) in try served.fileSystem.flush(info!.pointee.fh) }
    }
    table.release = { request, _, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.release(info!.pointee.fh, worker: served.worker)
      }
    }
    table.fsync = { request, _, dataOnly, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.synchronize(info!.pointee.fh, dataOnly: dataOnly != 0)
      }
    }
    table.fallocate = { request, _, mode, offset, length, info in
      serve(request) { served throws(Errno) in
        try served.fileSystem.allocate(
          info!.pointee.fh, mode: mode, offset: Int64(offset), length: Int64(length), caller: served.caller,
          worker: served.worker)
      }
    }
    table.lseek = { request, _, offset, origin, info in
      serve(request) { served throws(Errno) in
        guard let origin = SeekOrigin(rawValue: origin) else { throw .invalidArgument }
        return try served.fileSystem.seek(info!.pointee.fh, to: Int64(offset), from: origin)
      } reply: { reply, position, _ in
        reply.position(position)
      }
    }
    table.copy_file_range = { request, _, fromOffset, from, _, toOffset, to, length, flags in
      serve(request) { served throws(Errno) in
        try served.fileSystem.copyRange(
          from: from!.pointee.fh, at: Int64(fromOffset), to: to!.pointee.fh, at: Int64(toOffset), length: length,
          flags: UInt32(bitPattern: flags), caller: served.caller, worker: served.worker)
      } reply: { reply, count, _ in
        reply.written(count)
      }
    }
  }
}

/// Moves a WRITE's data into the file, from where libfuse has read it to.
private func write(
  _ data: UnsafeMutablePointer<fuse_bufvec>, to file: FileHandle, at offset: Int64
) throws(Errno) -> Int {
  var target = fuse_bufvec(descriptor: file.descriptor, offset: offset, size: fuse_buf_size(data))
  let count = fuse_buf_copy(&target, data, FUSE_BUF_SPLICE_NONBLOCK)
  if count < 0 { throw Errno(rawValue: Int32(-count)) }
  return count
}
