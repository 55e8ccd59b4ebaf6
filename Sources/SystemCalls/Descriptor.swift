internal import Glibc

/// The number of an open file, borrowed: whoever uses it must know that its owner outlives the use.
package struct Descriptor: Hashable, Sendable {
  package let rawValue: Int32
  /// Whether it is known to be open for more than its place: the kernel then does for the descriptor what it does for
  /// one opened with O_PATH by a path alone.
  let isOpenFile: Bool

  package init(rawValue: Int32) {
    self.init(rawValue: rawValue, isOpenFile: false)
  }

  init(rawValue: Int32, isOpenFile: Bool) {
    self.rawValue = rawValue
    self.isOpenFile = isOpenFile
  }

  init(rawValue: Int32, opened flags: OpenFlags) {
    self.init(rawValue: rawValue, isOpenFile: !flags.contains(.path))
  }

  /// AT_FDCWD: names relative to the working directory.
  package static let workingDirectory = Descriptor(rawValue: AT_FDCWD)
}

/// An open file that is closed when its owner goes away.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The descriptor, to be used while this owner lives.
  package let descriptor: Descriptor

  package init(owning descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Gives up ownership: the caller closes it.
  package consuming func release() -> Descriptor {
    let released = descriptor
    discard self
    return released
  }

  deinit {
    System.close(descriptor)
  }
}
