/// What was written to a file that is to replace an object, so that it can be taken off again if it does not.
package struct Replacement: Sendable {
  /// The record's xattr before; nil where there was none.
  let previous: [UInt8]?
  /// The record's xattr after.
  let written: [UInt8]
}
