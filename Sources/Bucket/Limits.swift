/// The limits of what an object stores, in bytes: SPEC's, on every backing filesystem alike.
package enum Limits {
  /// The longest value of a fixed property and of a custom entry.
  package static let value = 4096
  /// The longest key of a custom entry.
  package static let key = 1024
  /// All keys and values of an object's custom metadata together.
  package static let customTotal = 8192
  /// The longest encoded record, whether in an xattr or in an overflow file: what the kernel lets an xattr hold. A
  /// record at all of the other limits is shorter.
  package static let record = 65536
}
