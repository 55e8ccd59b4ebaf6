/// The keys of a record's CBOR map beside those of the fixed properties (`StoredProperty`). The format has its page in
/// the documentation: Record format.
enum RecordKey: UInt64 {
  case formatVersion = 0
  case generation = 1
  case metageneration = 2
  case updated = 3
  case size = 4
  case modifiedSeconds = 5
  case modifiedNanoseconds = 6
  case md5IsProvisional = 8
  case custom = 14
  case overflow = 15
  /// The greatest key of one byte, so that it is the last.
  case checksum = 23

  /// The version of the format that this code writes, and the only one that it reads.
  static let currentFormat: UInt64 = 1
  /// The bytes of the checksum's key and value, with which each record ends.
  static let checksumLength = 6
}
