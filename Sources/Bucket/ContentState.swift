/// Whether this process has a file open for writing.
package enum ContentState: Sendable {
  case closed
  case openForWriting
}
