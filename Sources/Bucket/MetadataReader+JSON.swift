package import SystemCalls

/// Many properties at once, as JSON.
extension MetadataReader {
  /// Appends all custom entries that are text as a JSON object, sorted by the bytes of their keys. Returns false, and
  /// appends nothing, where there are none.
  package func appendCustomMetadata(
    _ metadata: StoredMetadata, of object: ObjectReference, _ scratch: inout MetadataScratch,
    to output: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    let entries = try customMetadata(metadata, of: object, &scratch)
    guard !entries.isEmpty else { return false }
    Self.writer(of: entries).append(to: &output)
    return true
  }

  /// Appends all that is known of `object` as one JSON object under the names of the properties, in the order of their
  /// table. What is not set is absent, and so is a digest that would first have to be computed.
  package func appendJSON<Naming: ObjectNaming & ~Copyable>(
    of object: ObjectReference, _ naming: borrowing Naming, _ scratch: inout MetadataScratch,
    to output: inout ByteBuffer
  ) throws(StoreError) {
    var writer = JSONWriter()
    var text = ByteBuffer(capacity: 1 << 16)
    for index in Property.table.indices {
      let property = Property.table[index]
      guard !object.kind.isFolder || property.isOnFolders else { continue }
      if property.source == .customMetadata {
        let entries = try customMetadata(try stored(of: object, &scratch), of: object, &scratch)
        if !entries.isEmpty { writer.set(property.name.bytes, to: Self.writer(of: entries)) }
        continue
      }
      text.removeAll()
      guard try append(property, of: object, naming, &scratch, to: &text) == .value else { continue }
      // A name may be of any bytes; the others are text already.
      let repaired = text.span.isJSONText ? nil : Array(String(decoding: text.span.array, as: UTF8.self).utf8)
      if let repaired {
        writer.set(property.name.bytes, to: repaired.span)
      } else {
        writer.set(property.name.bytes, to: text.span)
      }
    }
    writer.append(to: &output)
  }

  /// The custom entries that are text, sorted by the bytes of their keys.
  package func customMetadata(
    _ metadata: StoredMetadata, of object: ObjectReference, _ scratch: inout MetadataScratch
  ) throws(StoreError) -> [CustomEntry] {
    var keys: [[UInt8]] = []
    forEachKey(metadata, scratch) { keys.append($0.array) }
    keys.sort { $0.lexicographicallyPrecedes($1) }
    var entries: [CustomEntry] = []
    for key in keys {
      var value: [UInt8] = []
      guard try withCustom(key.span, metadata, of: object, &scratch, { value = $0.array }) else { continue }
      let entry = CustomEntry(key: key, value: value)
      if entry.isJSONText { entries.append(entry) }
    }
    return entries
  }

  private static func writer(of entries: [CustomEntry]) -> JSONWriter {
    var writer = JSONWriter()
    for entry in entries { writer.set(entry.key.span, to: entry.value.span) }
    return writer
  }
}
