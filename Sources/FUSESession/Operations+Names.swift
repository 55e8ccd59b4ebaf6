internal import BucketFileSystem
internal import CFuse
internal import Glibc
internal import SystemCalls

extension Operations {
  /// LOOKUP, FORGET, BATCH_FORGET, READLINK, MKNOD, MKDIR, SYMLINK, LINK, UNLINK, RMDIR, RENAME.
  static func addNames(to table: inout fuse_lowlevel_ops) {
    table.lookup = { request, parent, name in lookup(request, parent, name) }
    table.forget = { request, node, count in
      serve(request) { served in
        served.fileSystem.forget(NodeID(rawValue: node), count: count)
      } reply: { reply, _, _ in
        reply.none()
      }
    }
    table.forget_multi = { request, count, forgets in
      serve(request) { served in
        for forget in UnsafeBufferPointer(start: forgets, count: count) {
          served.fileSystem.forget(NodeID(rawValue: forget.ino), count: forget.nlookup)
        }
      } reply: { reply, _, _ in
        reply.none()
      }
    }
    table.readlink = { request, node in
      serve(request) { served throws(Errno) in
        try served.fileSystem.readLink(NodeID(rawValue: node), into: &served.worker.output)
        served.worker.output.append(0)
      } reply: { reply, _, served in
        reply.link(served.worker.output)
      }
    }
    table.mknod = { request, parent, name, mode, _ in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.makeNode(
            name, in: NodeID(rawValue: parent), mode: mode, caller: served.caller, worker: served.worker)
        }
      } reply: { reply, entry, _ in
        reply.entry(entry)
      }
    }
    table.mkdir = { request, parent, name, mode in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.makeDirectory(
            name, in: NodeID(rawValue: parent), mode: mode, caller: served.caller, worker: served.worker)
        }
      } reply: { reply, entry, _ in
        reply.entry(entry)
      }
    }
    table.symlink = { request, target, parent, name in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try withName(target) { target throws(Errno) in
            try served.fileSystem.makeSymbolicLink(
              name, in: NodeID(rawValue: parent), target: target, caller: served.caller, worker: served.worker)
          }
        }
      } reply: { reply, entry, _ in
        reply.entry(entry)
      }
    }
    table.link = { request, node, parent, name in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.link(
            NodeID(rawValue: node), to: name, in: NodeID(rawValue: parent), caller: served.caller,
            worker: served.worker)
        }
      } reply: { reply, entry, _ in
        reply.entry(entry)
      }
    }
    table.unlink = { request, parent, name in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.unlink(
            name, in: NodeID(rawValue: parent), caller: served.caller, worker: served.worker)
        }
      }
    }
    table.rmdir = { request, parent, name in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try served.fileSystem.removeDirectory(
            name, in: NodeID(rawValue: parent), caller: served.caller, worker: served.worker)
        }
      }
    }
    table.rename = { request, parent, name, newParent, newName, flags in
      serve(request) { served throws(Errno) in
        try withName(name) { name throws(Errno) in
          try withName(newName) { newName throws(Errno) in
            try served.fileSystem.rename(
              name, in: NodeID(rawValue: parent), to: newName, in: NodeID(rawValue: newParent),
              flags: RenameFlags(rawValue: flags), caller: served.caller, worker: served.worker)
          }
        }
      }
    }
  }
}

private func lookup(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
  serve(request) { served throws(Errno) -> Entry? in
    try withName(name) { name throws(Errno) -> Entry? in
      do throws(Errno) {
        return try served.fileSystem.lookup(name, in: NodeID(rawValue: parent), caller: served.caller)
      } catch .noSuchFileOrDirectory where served.fileSystem.options.negativeTimeout > 0 {
        return nil
      }
    }
  } reply: { reply, entry, served in
    if let entry {
      reply.entry(entry)
    } else {
      reply.noEntry(timeout: served.fileSystem.negativeTimeout(in: NodeID(rawValue: parent)))
    }
  }
}
