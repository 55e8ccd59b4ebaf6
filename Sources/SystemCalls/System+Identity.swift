internal import CLinux
internal import Glibc

/// A set of capabilities(7) by their kernel numbers.
package struct Capabilities: OptionSet, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static let chown = Capabilities(rawValue: 1 << 0)
  package static let dacOverride = Capabilities(rawValue: 1 << 1)
  package static let dacReadSearch = Capabilities(rawValue: 1 << 2)
  package static let fowner = Capabilities(rawValue: 1 << 3)
  package static let fsetid = Capabilities(rawValue: 1 << 4)
  package static let setgid = Capabilities(rawValue: 1 << 6)
  package static let setuid = Capabilities(rawValue: 1 << 7)
  package static let setpcap = Capabilities(rawValue: 1 << 8)
  package static let linuxImmutable = Capabilities(rawValue: 1 << 9)
  package static let sysAdmin = Capabilities(rawValue: 1 << 21)
  package static let sysResource = Capabilities(rawValue: 1 << 24)
}

/// As whom the calling thread acts. Each of these changes one thread alone.
extension System {
  /// The effective and the permitted capabilities of the calling thread.
  package static var capabilities: (effective: Capabilities, permitted: Capabilities) {
    var effective: UInt64 = 0
    var permitted: UInt64 = 0
    var inheritable: UInt64 = 0
    guard clinux_get_capabilities(&effective, &permitted, &inheritable) == 0 else { return ([], []) }
    return (Capabilities(rawValue: effective), Capabilities(rawValue: permitted))
  }

  /// Sets the effective capabilities of the calling thread, which must be permitted. What is permitted stays.
  package static func setEffective(_ capabilities: Capabilities) throws(Errno) {
    let (_, permitted) = System.capabilities
    if clinux_set_capabilities(capabilities.rawValue, permitted.rawValue, 0) != 0 { throw .current }
  }

  /// Leaves the calling thread, and those that it starts from now on, no capabilities but these, and these only as far
  /// as it has them. With CAP_SETPCAP no program that they run can get others either.
  package static func keepOnly(_ kept: Capabilities) throws(Errno) {
    let (effective, permitted) = System.capabilities
    if effective.contains(.setpcap) {
      for number in 0..<64 as Range<Int32> where !kept.contains(Capabilities(rawValue: 1 << UInt64(number))) {
        // Numbers beyond the kernel's last.
        if clinux_drop_bound(number) != 0 { break }
      }
    }
    let (newEffective, newPermitted) = (effective.intersection(kept), permitted.intersection(kept))
    if clinux_set_capabilities(newEffective.rawValue, newPermitted.rawValue, 0) != 0 { throw .current }
  }

  /// From now on setfsuid and setfsgid leave the calling thread's capabilities as they are (SECBIT_NO_SETUID_FIXUP);
  /// threads that it starts inherit this. Needs CAP_SETPCAP.
  package static func keepCapabilitiesAcrossIdentities() throws(Errno) {
    if clinux_set_securebits(4) != 0 { throw .current }
  }

  /// Takes the calling thread out of the process's shared umask and working directory, unshare(CLONE_FS).
  package static func unshareFileSystemContext() throws(Errno) {
    if clinux_unshare_fs() != 0 { throw .current }
  }

  /// umask(2). Process-wide unless the thread called `unshareFileSystemContext`.
  package static func setUmask(_ mask: UInt32) {
    _ = umask(mask)
  }

  /// setgroups(2) with none: of all threads, since a process has no groups beside its own any more. Needs CAP_SETGID.
  package static func dropSupplementaryGroups() throws(Errno) {
    if setgroups(0, nil) != 0 { throw .current }
  }

  /// setfsuid(2). The call reports no errors: without the right to it nothing changes.
  package static func setFileSystemUser(_ user: UInt32) {
    _ = clinux_setfsuid(user)
  }

  /// setfsgid(2).
  package static func setFileSystemGroup(_ group: UInt32) {
    _ = clinux_setfsgid(group)
  }

  /// The effective user of the process.
  package static var effectiveUser: UInt32 { geteuid() }
  /// The effective group of the process.
  package static var effectiveGroup: UInt32 { getegid() }
  /// getpid(2).
  package static var processIdentifier: Int32 { getpid() }
  /// The kernel's number of the calling thread.
  package static var threadIdentifier: Int32 { clinux_gettid() }
}

/// Which threads belong together.
extension System {
  /// Whether `thread` is a thread of the process that `member` is a thread of, by /proc. False once either has ended.
  package static func isThread(_ thread: Int32, ofProcessOf member: Int32) -> Bool {
    let path = Array("/proc/\(member)/task/\(thread)".utf8)
    return (try? status(of: path.span, in: .workingDirectory)) != nil
  }
}
