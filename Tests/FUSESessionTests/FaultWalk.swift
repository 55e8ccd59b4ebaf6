#if FAULT_INJECTION
  import CTestSupport
  import SystemCalls
  import TestSupport
  import Testing

  /// The requests that are walked through, and the bucket that each of them finds.
  enum FaultWalk {
    struct Request: Sendable {
      var name: String
      /// Whether it is answered from memory, or libfuse moves the bytes by itself.
      var callsNothing = false
      /// Whether it is done before the last call, which tells what came of it, and is not taken back then.
      var isDoneFirst = false
      /// What it is answered with where nothing fails.
      var usual = Errno(rawValue: 0)
      /// Does what must come before it. What it returns sends it.
      var prepare: @Sendable (FakeKernel) throws -> () -> Answer?
    }

    /// Empties the bucket and fills it anew: `file` and `other` with metadata, `link`, and two folders.
    static func furnish(_ kernel: FakeKernel) throws {
      let root = kernel.directory
      try Shell.expect("find \(root.quoted) -mindepth 1 -delete; mkdir folder empty; ln -s file link", in: root)
      for name in ["file", "other", "folder/inner"] { try (root / Path(name)).write("hello \(name)") }
      for name in ["file", "other"] { _ = kernel.setXattr("user.k", "v", of: try kernel.node(name)) }
    }

    /// Everything that can be seen of the bucket but times, and bucketfs's own folder.
    static func picture(of kernel: FakeKernel) throws -> [String: [String]] {
      var seen: [String: [String]] = [:]
      for (name, entry) in try Tree(kernel.directory).entries where !name.hasPrefix(".bucketfs") {
        seen[name] = ["\(entry.status.mode)", "\(entry.status.links)", "\(entry.content)", "\(entry.attributes)"]
      }
      return seen
    }

    private static func request(
      _ name: String, callsNothing: Bool = false,
      _ prepare: @escaping @Sendable (FakeKernel) throws -> () -> Answer?
    ) -> Request {
      Request(name: name, callsNothing: callsNothing, prepare: prepare)
    }

    /// A request for a node with these numbers, then a name.
    private static func named(_ name: String, _ kind: Kind, in folder: String? = nil, _ body: Bytes) -> Request {
      request(name) { kernel in
        let node = try folder.map { try kernel.node($0) } ?? 1
        return { kernel.send(kind, node: node, body) }
      }
    }

    private static func bytes(_ build: (inout Bytes) -> Void) -> Bytes {
      var bytes = Bytes()
      build(&bytes)
      return bytes
    }

    /// SETATTR of `file`: which fields, the size, the times, the mode.
    private static func change(_ name: String, valid: UInt32, size: UInt64 = 0, mode: UInt32 = 0) -> Request {
      var change = request(name) { kernel in
        let node = try kernel.node("file")
        let body = bytes {
          $0.add(valid, UInt32(0))
          $0.add(UInt64(0), size, UInt64(0), UInt64(1_000_000_000), UInt64(1_000_000_000), UInt64(0))
          $0.add(UInt32(0), UInt32(0), UInt32(0), mode, UInt32(0), UInt32(0), UInt32(0), UInt32(0))
        }
        return { kernel.send(.setattr, node: node, body) }
      }
      change.isDoneFirst = true
      return change
    }

    /// A request for an open file.
    private static func opened(
      _ name: String, callsNothing: Bool = false,
      _ send: @escaping @Sendable (FakeKernel, _ node: UInt64, _ handle: UInt64) -> Answer?
    ) -> Request {
      request(name, callsNothing: callsNothing) { kernel in
        let node = try kernel.node("file")
        let handle: UInt64 = try #require(kernel.open(node, flags: 2)).body.number(at: 0)
        return { send(kernel, node, handle) }
      }
    }

    /// A new file, made through the session as by a program that saves safely; it is closed again.
    private static func makeNew(_ kernel: FakeKernel) throws {
      let body = bytes {
        $0.add(UInt32(0o301), UInt32(0o644), UInt32(0o022), UInt32(0))
        $0.add("new")
      }
      let answer = try #require(kernel.send(.create, node: 1, body))
      let handle: UInt64 = answer.body.number(at: 128)
      let node: UInt64 = answer.body.number(at: 0)
      kernel.send(.release, node: node, bytes { $0.add(handle, UInt64(0), UInt64(0)) })
    }

    private static func rename(_ old: String, _ new: String, flags: UInt32 = 0, makesNew: Bool = false) -> Request {
      request("rename of \(old) to \(new), flags \(flags)") { kernel in
        if makesNew { try makeNew(kernel) }
        let body = bytes {
          $0.add(UInt64(1))
          $0.add(flags, UInt32(0))
          $0.add(old)
          $0.add(new)
        }
        return { kernel.send(.rename2, node: 1, body) }
      }
    }

    private static func set(_ name: String, _ attribute: String, _ value: String, on file: String = "file") -> Request {
      request(name) { kernel in
        let node = try kernel.node(file)
        return { kernel.setXattr(attribute, value, of: node) }
      }
    }

    private static var missing: Request {
      var lookup = request("lookup of a missing name") { kernel in { kernel.lookup("missing") } }
      lookup.usual = .noSuchFileOrDirectory
      return lookup
    }

    static let requests: [Request] = [
      request("lookup") { kernel in { kernel.lookup("file") } },
      missing,
      request("getattr") { kernel in
        let node = try kernel.node("file")
        return { kernel.getAttributes(node) }
      },
      request("readlink") { kernel in
        let node = try kernel.node("link")
        return { kernel.send(.readlink, node: node) }
      },
      change("chmod", valid: 1, mode: 0o100600),
      change("truncate", valid: 1 << 3, size: 3),
      change("utimensat", valid: 1 << 4 | 1 << 5),
      named(
        "mkdir", .mkdir,
        bytes {
          $0.add(UInt32(0o755), UInt32(0))
          $0.add("made")
        }),
      named(
        "mknod", .mknod,
        bytes {
          $0.add(UInt32(0o100644), UInt32(0), UInt32(0), UInt32(0))
          $0.add("made")
        }),
      named(
        "create", .create,
        bytes {
          $0.add(UInt32(0o302), UInt32(0o644), UInt32(0), UInt32(0))
          $0.add("made")
        }),
      named(
        "symlink", .symlink,
        bytes {
          $0.add("made")
          $0.add("target")
        }),
      request("link") { kernel in
        let node = try kernel.node("file")
        let body = bytes {
          $0.add(node)
          $0.add("made")
        }
        return { kernel.send(.link, node: 1, body) }
      },
      named("unlink", .unlink, .string("file")),
      named("rmdir", .rmdir, .string("empty")),
      rename("file", "free"),
      rename("file", "other"),
      rename("new", "file", makesNew: true),
      rename("file", "other", flags: 2),
      rename("empty", "elsewhere"),
      set("setxattr", "user.k", "w"),
      set("setxattr of a fixed property", "user.contentType", "image/png"),
      set("setxattr on a folder", "user.k", "w", on: "folder"),
      set(
        "update into an overflow file", "user.bucketfs.update",
        "{\"customMetadata\":{\"a\":\"\(String(repeating: "a", count: 3900))\",\"b\":\"\(String(repeating: "b", count: 3900))\"}}"
      ),
      request("removexattr") { kernel in
        let node = try kernel.node("file")
        return { kernel.removeXattr("user.k", of: node) }
      },
      request("getxattr") { kernel in
        let node = try kernel.node("file")
        return { kernel.getXattr("user.k", of: node, size: 100) }
      },
      request("getxattr of the JSON") { kernel in
        let node = try kernel.node("file")
        return { kernel.getXattr("user.bucketfs.json", of: node, size: 65536) }
      },
      request("getxattr of md5Hash") { kernel in
        let node = try kernel.node("file")
        return { kernel.getXattr("user.md5Hash", of: node, size: 100) ?? kernel.receive(milliseconds: 10_000) }
      },
      request("listxattr") { kernel in
        let node = try kernel.node("file")
        return { kernel.listXattr(of: node, size: 1000) }
      },
      request("open") { kernel in
        let node = try kernel.node("file")
        return { kernel.open(node, flags: 2) }
      },
      request("open with O_TRUNC") { kernel in
        let node = try kernel.node("file")
        return { kernel.open(node, flags: 0o1001) }
      },
      opened("read", callsNothing: true) { kernel, node, handle in kernel.read(node, handle: handle, size: 100) },
      opened("write", callsNothing: true) { kernel, node, handle in
        kernel.send(
          .write, node: node,
          bytes {
            $0.add(handle, UInt64(3))
            $0.add(UInt32(4), UInt32(0), UInt32(0), UInt32(0), UInt32(0), UInt32(0))
            $0.bytes += Array("text".utf8)
          })
      },
      opened("fsync") { kernel, node, handle in
        kernel.send(.fsync, node: node, bytes { $0.add(handle, UInt64(0)) })
      },
      opened("fallocate") { kernel, node, handle in
        kernel.send(.fallocate, node: node, bytes { $0.add(handle, UInt64(0), UInt64(100), UInt64(0)) })
      },
      opened("lseek") { kernel, node, handle in
        kernel.send(.lseek, node: node, bytes { $0.add(handle, UInt64(0), UInt64(3)) })
      },
      opened("copy_file_range") { kernel, node, handle in
        kernel.send(
          .copyFileRange, node: node,
          bytes { $0.add(handle, UInt64(0), node, handle, UInt64(100), UInt64(4), UInt64(0)) })
      },
      opened("getattr of an open file") { kernel, node, handle in
        kernel.send(
          .getattr, node: node,
          bytes {
            $0.add(UInt32(1), UInt32(0))
            $0.add(handle)
          })
      },
      request("opendir") { kernel in
        let node = try kernel.node("folder")
        return { kernel.send(.opendir, node: node, bytes { $0.add(UInt64(0)) }) }
      },
      request("readdirplus") { kernel in
        let opened = try #require(kernel.send(.opendir, node: 1, bytes { $0.add(UInt64(0)) }))
        let handle: UInt64 = opened.body.number(at: 0)
        return {
          kernel.send(
            .readdirplus, node: 1,
            bytes {
              $0.add(handle, UInt64(0))
              $0.add(UInt32(8192))
              $0.add(zeros: 20)
            })
        }
      },
      request("fsyncdir") { kernel in
        let opened = try #require(kernel.send(.opendir, node: 1, bytes { $0.add(UInt64(0)) }))
        let handle: UInt64 = opened.body.number(at: 0)
        return { kernel.send(.fsyncdir, node: 1, bytes { $0.add(handle, UInt64(0)) }) }
      },
      request("statfs") { kernel in { kernel.send(.statfs, node: 1) } },
    ]
  }
#endif
