import CTestSupport
import SystemCalls

/// Who does something: a user with groups and a umask.
package struct Caller: Hashable, Sendable {
  package var user: UInt32
  package var group: UInt32
  package var groups: [UInt32]
  package var umask: UInt32

  package init(user: UInt32, group: UInt32? = nil, groups: [UInt32] = [], umask: UInt32 = 0o022) {
    self.user = user
    self.group = group ?? user
    self.groups = groups
    self.umask = umask
  }

  package static let root = Caller(user: 0)
  /// An ordinary user, who owns nothing that the test did not give.
  package static let nobody = Caller(user: 65534)

  /// Calls `body` with the identity as C takes it.
  func withIdentity<Result>(_ body: (inout test_identity) throws -> Result) rethrows -> Result {
    try groups.withUnsafeBufferPointer { groups in
      var identity = test_identity(
        user: user, group: group, groups: groups.baseAddress, group_count: groups.count, umask: umask)
      return try body(&identity)
    }
  }

  /// Runs `body` on a thread that is this caller, and waits for it. System calls in it are checked by the kernel as
  /// the caller's, capabilities included.
  @discardableResult
  package func run<Result>(_ body: () throws -> Result) throws -> Result {
    try withoutActuallyEscaping(body) { body in
      let work = Work(caller: self, body: body)
      var thread = pthread_t()
      let failure = pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<ThreadWork>.fromOpaque(argument!).takeUnretainedValue().perform()
          return nil
        }, Unmanaged<ThreadWork>.passUnretained(work).toOpaque())
      guard failure == 0 else { throw Errno(rawValue: failure) }
      pthread_join(thread, nil)
      return try work.outcome!.get()
    }
  }
}

private class ThreadWork {
  func perform() {}
}

private final class Work<Result>: ThreadWork {
  let caller: Caller
  let body: () throws -> Result
  var outcome: Swift.Result<Result, any Error>?

  init(caller: Caller, body: @escaping () throws -> Result) {
    self.caller = caller
    self.body = body
  }

  override func perform() {
    outcome = Swift.Result {
      _ = try caller.withIdentity { identity in try check { test_become(&identity) } }
      return try body()
    }
  }
}
