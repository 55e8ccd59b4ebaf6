package import SystemCalls

/// Many properties at once, as JSON, all of one moment.
extension MetadataReader {
  /// Appends all custom entries that are text as a JSON object, sorted by the bytes of their keys. Returns false, and
  /// appends nothing, where there are none.
  package func appendCustomMetadata(
    of object: ObjectReference, to output: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    let entries = try store.metadata(of: object.file, content: object.content).textEntries
    guard !entries.isEmpty else { return false }
    Self.writer(of: entries).append(to: &output)
    return true
  }

  /// Appends all that is known of `object` as one JSON object under the names of the properties, in the order of their
  /// table. What is not set is absent, and so is a digest that would first have to be computed.
  package func appendJSON<Naming: ObjectNaming & ~Copyable>(
    of object: ObjectReference, _ naming: borrowing Naming, to output: inout ByteBuffer
  ) throws(StoreError) {
    let record = try store.metadata(of: object.file, content: object.content)
    var writer = JSONWriter()
    var text = ByteBuffer(capacity: 1 << 16)
    var name = ByteBuffer(capacity: 1 << 12)
    for index in Property.table.indices {
      let property = Property.table[index]
      guard !object.kind.isFolder || property.isOnFolders else { continue }
      if property.source == .customMetadata {
        let entries = record.textEntries
        if !entries.isEmpty { writer.set(property.name.bytes, to: Self.writer(of: entries)) }
        continue
      }
      text.removeAll()
      guard try append(property, record, of: object, naming, &name, to: &text) == .value else { continue }
      // A name may be of any bytes; the others are text already.
      if text.span.isJSONText {
        writer.set(property.name.bytes, to: text.span)
      } else {
        let repaired = Array(String(decoding: text.span.array, as: UTF8.self).utf8)
        writer.set(property.name.bytes, to: repaired.span)
      }
    }
    writer.append(to: &output)
  }

  /// Appends the text of a property of which `record` has what is stored; none for customMetadata. `name` is memory for
  /// the object's name.
  package func append<Naming: ObjectNaming & ~Copyable>(
    _ property: Property, _ record: Record, of object: ObjectReference, _ naming: borrowing Naming,
    _ name: inout ByteBuffer, to output: inout ByteBuffer
  ) throws(StoreError) -> Answer {
    switch property.source {
    case .bucketName, .objectName, .lastComponent:
      return try append(named: property.source, naming, to: &output)
    case .size: output.append(decimal: record.pin.size)
    case .generation: output.append(decimal: record.generation)
    case .metageneration: output.append(decimal: record.metageneration)
    case .timeCreated: output.append(rfc3339: record.generation)
    case .updated: output.append(rfc3339: record.updated)
    case .stored(let stored, let fallback):
      switch record[stored] {
      case .value(let text): output.append(text.span)
      case .removed: return .unset
      case .unset: return try append(fallback, pin: record.pin, of: object, naming, &name, to: &output)
      }
    case .customMetadata:
      return .unset
    }
    return .value
  }

  private static func writer(of entries: [CustomEntry]) -> JSONWriter {
    var writer = JSONWriter()
    for entry in entries { writer.set(entry.key.span, to: entry.value.span) }
    return writer
  }
}
