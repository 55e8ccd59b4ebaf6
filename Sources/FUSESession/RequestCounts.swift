internal import Synchronization

/// How many requests of each kind a session has served, how long they took and what errors they met.
package final class RequestCounts: Sendable {
  /// FUSE's numbers with the names of their man page, `fuse.h`'s in camel case.
  static let kinds: [(opcode: Int, name: StaticString)] = [
    (1, "lookup"), (2, "forget"), (3, "getattr"), (4, "setattr"), (5, "readlink"), (6, "symlink"), (8, "mknod"),
    (9, "mkdir"), (10, "unlink"), (11, "rmdir"), (12, "rename"), (13, "link"), (14, "open"), (15, "read"),
    (16, "write"), (17, "statfs"), (18, "release"), (20, "fsync"), (21, "setxattr"), (22, "getxattr"),
    (23, "listxattr"), (24, "removexattr"), (25, "flush"), (26, "init"), (27, "opendir"), (28, "readdir"),
    (29, "releasedir"), (30, "fsyncdir"), (31, "getlk"), (32, "setlk"), (33, "setlkw"), (34, "access"), (35, "create"),
    (36, "interrupt"), (39, "ioctl"), (40, "poll"), (42, "batchForget"), (43, "fallocate"), (44, "readdirplus"),
    (45, "rename2"), (46, "lseek"), (47, "copyFileRange"), (50, "syncfs"), (51, "tmpfile"), (52, "statx"),
  ]

  /// One counter for each number below 64, the last for all above.
  private let counters = InlineArray<64, Atomic<UInt64>> { _ in Atomic(0) }

  let latencies = RequestLatencies()
  let errors = ErrorCounts()

  package init() {}

  /// Counts one request of the kind.
  func count(_ opcode: UInt32) {
    counters[Int(min(opcode, 63))].add(1, ordering: .relaxed)
  }

  /// The kinds that have come, with their numbers.
  package var all: [(name: StaticString, count: UInt64)] {
    Self.kinds.compactMap { kind in
      let count = counters[kind.opcode].load(ordering: .relaxed)
      return count == 0 ? nil : (kind.name, count)
    }
  }
}
