internal import SystemCalls

/// What the kernel remembers of the mount, as far as it can be told to forget it; the session fills it in.
///
/// To forget a name the kernel takes the lock of the folder, which somebody may hold who waits for the daemon: no
/// thread that serves requests may ask for that, and nobody who holds a lock of the daemon's own.
package struct KernelCache: Sendable {
  /// A file's attributes and ACLs. False where the kernel does not know the file.
  package let forgetAttributes: @Sendable (NodeID) -> Bool
  /// What is at a name of a folder. A name that is gone is taken out at once, another one looked up at its next use.
  /// False where the kernel does not know the name.
  package let forgetName: @Sendable (NodeID, Span<UInt8>, _ isGone: Bool) -> Bool
  /// All names at once. False where the kernel cannot.
  package let forgetAllNames: @Sendable () -> Bool

  package init(
    forgetAttributes: @escaping @Sendable (NodeID) -> Bool,
    forgetName: @escaping @Sendable (NodeID, Span<UInt8>, _ isGone: Bool) -> Bool,
    forgetAllNames: @escaping @Sendable () -> Bool
  ) {
    self.forgetAttributes = forgetAttributes
    self.forgetName = forgetName
    self.forgetAllNames = forgetAllNames
  }

  /// No kernel that remembers anything.
  package static let none = KernelCache(
    forgetAttributes: { _ in false }, forgetName: { _, _, _ in false }, forgetAllNames: { true })
}
