package import SystemCalls

/// The state of a file's content for which a record was right: while size and mtime are these, so are the record's
/// generation and md5Hash.
package struct Pin: Hashable, Sendable {
  /// Bytes.
  package var size: UInt64
  /// The mtime, to the nanosecond.
  package var modified: Timestamp

  package init(size: UInt64, modified: Timestamp) {
    self.size = size
    self.modified = modified
  }

  /// The present state of a file.
  package init(_ status: FileStatus) {
    self.init(size: status.size, modified: status.modified)
  }
}
