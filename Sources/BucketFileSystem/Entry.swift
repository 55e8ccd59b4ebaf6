package import SystemCalls

/// A name's answer: the inode behind it and for how long the kernel may believe so. FUSE's `fuse_entry_param`.
package struct Entry: Sendable {
  package var node: NodeID
  /// With `st_ino` as the mount shows it.
  package var status: FileStatus
  /// Seconds.
  package var entryTimeout: Double
  /// Seconds.
  package var attributeTimeout: Double
}

/// The answer to an open.
package struct OpenedFile: Sendable {
  /// FUSE's `fh`.
  package var handle: UInt64
  /// The kernel's id of the backing file, where it reads and writes that by itself; 0 where it asks the daemon.
  package var backing: Int32
  /// Whether the kernel may leave out FLUSH at each close: nobody waits for its answer.
  package var needsNoFlush: Bool
}
