/// Why bytes are no record.
package enum RecordError: Error, Hashable, Sendable {
  /// Not the one encoding of any record: cut, altered, or made by something else.
  case damaged
  /// Made by a later bucketfs, whose format this one does not know.
  case newerVersion
}
