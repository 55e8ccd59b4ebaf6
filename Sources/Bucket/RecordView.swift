package import SystemCalls

/// A record that was validated where it lies: its numbers, and where in the bytes its texts are. Making and asking one
/// allocates nothing, so that reading a property costs one getxattr and one pass over what it brought.
package struct RecordView: Sendable {
  /// Generation, metageneration, time of the latest change, and the content for which they hold.
  package internal(set) var version = StoredVersion(
    generation: 1, metageneration: 1, updated: 1,
    pin: Pin(size: 0, modified: Timestamp(seconds: 0, nanoseconds: 0)))
  /// Whether md5Hash was set while the file was empty.
  package internal(set) var md5IsProvisional = false
  /// Where the name of the overflow file is that holds the rest; nil in a record that is whole.
  package internal(set) var overflow: Range<Int>?
  /// Where each property's text begins and ends; empty where it is not stored.
  var texts: InlineArray<6, Range<Int>> = .init(repeating: 0..<0)
  var typeIsRemoved = false
  /// The entries of the map of custom metadata, without its head.
  var custom = 0..<0
  /// Number of custom entries.
  package internal(set) var customCount = 0

  /// Checks that `bytes` are the one encoding of a record, whole or the head of a split one.
  package init(validating bytes: Span<UInt8>) throws(RecordError) {
    try parse(bytes, from: 0, .attribute)
  }

  /// Takes the rest of a split record from the overflow file's content, which lies in `bytes` from `start` to the end,
  /// behind the head.
  package mutating func attachOverflow(in bytes: Span<UInt8>, from start: Int) throws(RecordError) {
    overflow = nil
    try parse(bytes, from: start, .overflow)
  }

  package var generation: UInt64 { version.generation }
  package var metageneration: UInt64 { version.metageneration }
  package var updated: UInt64 { version.updated }
  package var pin: Pin { version.pin }

  /// Where the text of `property` is, nil where none is stored.
  package func range(of property: StoredProperty) -> Range<Int>? {
    let range = texts[property.index]
    return range.isEmpty ? nil : range
  }

  /// Whether the record says that `property` was removed.
  package func isRemoved(_ property: StoredProperty) -> Bool {
    property == .contentType && typeIsRemoved
  }

  /// Where md5Hash is if it still holds for the content: it was set for what the file now is, or for the first content
  /// of an empty file while that is being written.
  package func md5Hash(status: FileStatus, content: ContentState) -> Range<Int>? {
    guard pin == Pin(status) || md5IsProvisional && content == .openForWriting else { return nil }
    return range(of: .md5Hash)
  }

  /// Where the value of a custom entry is, nil where there is none.
  package func customValue(_ key: Span<UInt8>, in bytes: Span<UInt8>) -> Range<Int>? {
    var found: Range<Int>?
    forEachCustom(in: bytes) { candidate, value in
      if candidate.count == key.count, bytes.extracting(candidate).equals(key) { found = value }
    }
    return found
  }

  /// Calls `body` with where each entry's key and value are, in the order of the encoded keys.
  package func forEachCustom(in bytes: Span<UInt8>, _ body: (_ key: Range<Int>, _ value: Range<Int>) -> Void) {
    var reader = CBORReader(bytes, in: custom)
    while !reader.isAtEnd {
      // Validated before: neither fails.
      guard let key = try? reader.string(atMost: Limits.key), let value = try? reader.string(atMost: Limits.value)
      else { return }
      body(key, value)
    }
  }
}
