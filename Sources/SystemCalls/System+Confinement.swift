internal import CLinux
internal import Glibc

/// What Landlock can refuse in files and folders: LANDLOCK_ACCESS_FS_….
package struct FileAccess: OptionSet, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static let execute = FileAccess(rawValue: 1 << 0)
  package static let writeFile = FileAccess(rawValue: 1 << 1)
  package static let readFile = FileAccess(rawValue: 1 << 2)
  package static let readFolder = FileAccess(rawValue: 1 << 3)
  package static let removeFolder = FileAccess(rawValue: 1 << 4)
  package static let removeFile = FileAccess(rawValue: 1 << 5)
  package static let makeFolder = FileAccess(rawValue: 1 << 7)
  package static let makeFile = FileAccess(rawValue: 1 << 8)
  package static let makeSocket = FileAccess(rawValue: 1 << 9)
  package static let makeFIFO = FileAccess(rawValue: 1 << 10)
  package static let makeSymlink = FileAccess(rawValue: 1 << 12)
  /// Rename and link from one folder to another; version 2.
  package static let refer = FileAccess(rawValue: 1 << 13)
  /// Version 3.
  package static let truncate = FileAccess(rawValue: 1 << 14)

  /// All that a version of Landlock knows.
  static func all(_ version: Int) -> FileAccess {
    switch version {
    case ..<2: FileAccess(rawValue: (1 << 13) - 1)
    case 2: FileAccess(rawValue: (1 << 14) - 1)
    case 3, 4: FileAccess(rawValue: (1 << 15) - 1)
    // And ioctl of devices.
    default: FileAccess(rawValue: (1 << 16) - 1)
    }
  }
}

/// Rules by which a process confines itself: what they do not allow is refused, whatever its rights. Source:
/// landlock(7).
package struct LandlockRules: ~Copyable {
  /// The version of Landlock that the rules use: what this kernel has, or what is known here.
  package let version: Int
  private let handled: FileAccess
  private let rules: OwnedDescriptor

  /// The version that the kernel has; 0 where it has none, or where it was left out at boot.
  package static var kernelVersion: Int { max(0, Int(clinux_landlock_version())) }

  /// Rules that refuse every access to files, the sockets of TCP and signals to processes outside; their abstract
  /// sockets too, unless they are wanted.
  package init(abstractSockets: Bool) throws(Errno) {
    version = min(7, Self.kernelVersion)
    handled = FileAccess.all(version)
    let handled = self.handled
    let network: UInt64 = version >= 4 ? 3 : 0
    let scopes: UInt64 = version >= 6 ? (abstractSockets ? 2 : 3) : 0
    let number = try System.call(.open) { clinux_landlock_rules(handled.rawValue, network, scopes) }
    rules = OwnedDescriptor(owning: Descriptor(rawValue: number))
  }

  /// Allows `access` to a file, or to a folder and all that lies below it, also in filesystems mounted there.
  package func allow(_ access: FileAccess, to place: Descriptor) throws(Errno) {
    let allowed = access.intersection(handled)
    _ = try System.call(.open) {
      clinux_landlock_allow(rules.descriptor.rawValue, place.rawValue, allowed.rawValue)
    }
  }

  /// Confines the calling thread and those that it starts from now on, for good. It must have no new privileges.
  package func enter() throws(Errno) {
    _ = try System.call(.open) { clinux_landlock_enter(rules.descriptor.rawValue) }
  }
}

extension System {
  /// From now on no program that the calling thread runs has more rights than it has (no_new_privs).
  package static func giveUpNewPrivileges() throws(Errno) {
    if clinux_no_new_privileges(1) != 0 { throw .current }
  }

  /// Whether the calling thread has given them up.
  package static var hasNoNewPrivileges: Bool { clinux_no_new_privileges(0) == 1 }

  /// Reads the time zone now, and not when the first line goes to syslog.
  package static func loadTimeZone() { clinux_load_time_zone() }

  /// Whether the service manager is reached by an abstract socket, which other sandboxes can close off.
  package static var hasAbstractServiceManager: Bool {
    getenv("NOTIFY_SOCKET").map { $0.pointee == 64 } ?? false
  }
}
