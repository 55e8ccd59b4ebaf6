internal import Glibc

/// The number of an open file, borrowed: whoever uses it must know that its owner outlives the use.
package struct Descriptor: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  @inlinable
  package init(rawValue: Int32) {
    self.rawValue = rawValue
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
