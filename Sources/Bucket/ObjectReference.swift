package import SystemCalls

/// An object or a folder as whoever reads or changes its metadata reaches it. The descriptor is borrowed.
package struct ObjectReference: Sendable {
  /// The backing file, opened in any way, with O_PATH too.
  package var file: Descriptor
  /// What it is.
  package var kind: Kind
  /// Whether this process has it open for writing.
  package var content: ContentState

  /// What a backing file is to the bucket.
  package enum Kind: Sendable {
    /// A regular file.
    case object
    case folder
    case rootFolder
    /// A symlink, FIFO or socket, which has no properties.
    case other

    /// Whether it is a folder, the root or another.
    package var isFolder: Bool { self == .folder || self == .rootFolder }
  }

  package init(file: Descriptor, kind: Kind, content: ContentState = .closed) {
    self.file = file
    self.kind = kind
    self.content = content
  }
}
