/// What the person who mounts decides about the file system itself.
package struct FileSystemOptions: Sendable {
  /// Whether a new file at an object's name takes over the old one's metadata.
  package enum Replace: String, Sendable, CaseIterable {
    /// When the same process made it to replace the old one.
    case auto
    /// Always, what the new file does not set itself.
    case keep
    /// Never.
    case drop
  }

  package var readOnly = false
  package var replace = Replace.auto
  /// Seconds for which the kernel may trust a name.
  package var entryTimeout = 1.0
  /// Seconds for which the kernel may trust attributes.
  package var attributeTimeout = 1.0
  /// Seconds for which the kernel may trust that a name does not exist.
  package var negativeTimeout = 0.0

  package init() {}
}
