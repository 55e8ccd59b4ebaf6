internal import SystemCalls

/// A record as bytes: one CBOR map, or two where the backing file's xattrs cannot hold it whole.
extension Record {
  /// The record whole, for the xattr.
  package func encoded() -> [UInt8] {
    encoded(versionIn: true, restIn: true, overflow: nil)
  }

  /// The part of a split record that goes into the overflow file: all that is not bound to the content.
  package func encodedOverflow() -> [UInt8] {
    encoded(versionIn: false, restIn: true, overflow: nil)
  }

  /// The part of a split record that stays in the xattr, with the name of the overflow file.
  package func encodedHead(overflow name: [UInt8]) -> [UInt8] {
    encoded(versionIn: true, restIn: false, overflow: name)
  }

  private func encoded(versionIn: Bool, restIn: Bool, overflow: [UInt8]?) -> [UInt8] {
    var entries = CBORWriter()
    var count = 0
    func begin(_ key: UInt64) {
      entries.unsigned(key)
      count += 1
    }
    begin(RecordKey.formatVersion.rawValue)
    entries.unsigned(RecordKey.currentFormat)
    if versionIn {
      for (key, number) in [
        (RecordKey.generation, generation), (.metageneration, metageneration), (.updated, updated), (.size, pin.size),
      ] {
        begin(key.rawValue)
        entries.unsigned(number)
      }
      begin(RecordKey.modifiedSeconds.rawValue)
      entries.signed(pin.modified.seconds)
      begin(RecordKey.modifiedNanoseconds.rawValue)
      entries.unsigned(UInt64(pin.modified.nanoseconds))
      if let digest = value(.md5Hash) {
        begin(UInt64(StoredProperty.md5Hash.rawValue))
        entries.string(digest)
        if md5IsProvisional {
          begin(RecordKey.md5IsProvisional.rawValue)
          entries.yes()
        }
      }
    }
    if restIn {
      for property in StoredProperty.allCases where property != .md5Hash && self[property] != .unset {
        begin(UInt64(property.rawValue))
        if case .value(let text) = self[property] { entries.string(text) } else { entries.null() }
      }
      if !custom.isEmpty {
        begin(RecordKey.custom.rawValue)
        entries.custom(custom)
      }
    }
    if let overflow {
      begin(RecordKey.overflow.rawValue)
      entries.string(overflow)
    }
    begin(RecordKey.checksum.rawValue)
    var whole = CBORWriter()
    whole.map(count)
    whole.append(entries)
    whole.checksum()
    return whole.bytes
  }
}

extension CBORWriter {
  /// Writes custom metadata as a map, ordered as the encoding wants it: by the encoded keys.
  fileprivate mutating func custom(_ entries: [CustomEntry]) {
    let encoded = entries.map { entry in
      var key = CBORWriter()
      key.string(entry.key)
      return (key: key, value: entry.value)
    }
    map(entries.count)
    for entry in encoded.sorted(by: { $0.key.bytes.span.order(to: $1.key.bytes.span) < 0 }) {
      append(entry.key)
      string(entry.value)
    }
  }

  /// Writes what another has written.
  fileprivate mutating func append(_ other: CBORWriter) {
    append(contentsOf: other.bytes)
  }
}
