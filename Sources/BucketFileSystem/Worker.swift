package import Bucket
package import SystemCalls

/// A thread that serves requests: its memory, so that a request needs none of its own, and as whom it acts just now.
///
/// Used by its own thread alone. The daemon holds its capabilities whichever user it acts as: the kernel has checked
/// the caller's rights already, the thread only has to make what it makes belong to the caller.
package final class Worker {
  /// Where a request's answer is built.
  package var output: ByteBuffer
  /// Where an object's metadata is read to.
  package var scratch = MetadataScratch()
  private let mayChangeIdentity: Bool
  private var user: UInt32
  private var group: UInt32
  private var umask: UInt32

  /// Bytes for the largest answer: an xattr's 64 KiB, or JSON of all that one object can hold.
  static var bufferCapacity: Int { 512 * 1024 }

  /// Prepares the calling thread.
  package init() {
    output = ByteBuffer(capacity: Self.bufferCapacity)
    user = System.effectiveUser
    group = System.effectiveGroup
    mayChangeIdentity = user == 0 && System.capabilities.effective.contains(.setuid)
    umask = 0
    try? System.unshareFileSystemContext()
    System.setUmask(0)
  }

  /// From here on what this thread makes or writes counts as the caller's.
  package func assume(_ caller: Caller) {
    assume(user: caller.user, group: caller.group)
  }

  /// The same, with the umask for what is made.
  package func assumeWithUmask(_ caller: Caller) {
    assume(user: caller.user, group: caller.group)
    if umask != caller.umask {
      umask = caller.umask
      System.setUmask(umask)
    }
  }

  /// From here on this thread acts as the user and the group, for files and their quotas alone.
  package func assume(user: UInt32, group: UInt32) {
    guard mayChangeIdentity else { return }
    if self.group != group {
      self.group = group
      System.setFileSystemGroup(group)
    }
    if self.user != user {
      self.user = user
      System.setFileSystemUser(user)
    }
  }

  /// Runs `body` with CAP_FSETID, which the daemon otherwise does without so that writes drop setuid as they should.
  ///
  /// For calls in which the kernel has already taken setgid from a caller who may not set it: left to itself the
  /// backing filesystem would judge by the daemon's groups instead of the caller's.
  package func keepingSetgid<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
    let (effective, permitted) = System.capabilities
    guard mayChangeIdentity, permitted.contains(.fsetid) else { return try body() }
    try System.setEffective(effective.union(.fsetid))
    defer { try? System.setEffective(effective) }
    return try body()
  }

  /// The same where `mode` has the setgid bit, which the kernel has let pass and nothing is to take off again.
  package func keepingSetgid<Result: ~Copyable>(
    of mode: UInt32, _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    mode & 0o2000 == 0 ? try body() : try keepingSetgid(body)
  }
}
