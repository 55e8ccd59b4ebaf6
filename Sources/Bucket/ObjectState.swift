package import SystemCalls

/// An object's metadata and its file's status, of one moment.
package struct ObjectState: Sendable {
  /// The whole of its metadata.
  package var record: Record
  /// The status that the metadata goes by.
  package var status: FileStatus
}
