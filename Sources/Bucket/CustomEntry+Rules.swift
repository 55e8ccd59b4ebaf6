extension CustomEntry {
  /// Throws where `key` cannot be the key of a custom entry.
  package static func check(key: Span<UInt8>) throws(MetadataError) {
    guard key.count > 0 else { throw .emptyKey }
    guard key.count <= Limits.key else { throw .keyTooLong }
  }

  /// Throws where `value` cannot be the value of a custom entry.
  package static func check(value: Span<UInt8>) throws(MetadataError) {
    guard value.count <= Limits.value else { throw .value(.tooLong(limit: Limits.value)) }
  }

  /// Whether JSON can hold it: others are no part of `customMetadata`.
  package var isJSONText: Bool { key.span.isJSONText && value.span.isJSONText }

  /// Reads a JSON object of strings, the whole of an object's custom metadata, and sorts it by the bytes of the keys.
  package static func entries(json text: Span<UInt8>) throws(MetadataError) -> [CustomEntry] {
    let members: [JSONMember]
    do throws(JSONError) {
      members = try JSONValue.members(of: text, depth: 1)
    } catch {
      throw .malformedJSON
    }
    var entries: [CustomEntry] = []
    for member in members {
      guard case .string(let value) = member.value, !member.key.isEmpty else { throw .malformedJSON }
      entries.append(CustomEntry(key: member.key, value: value))
    }
    for entry in entries {
      try check(key: entry.key.span)
      try check(value: entry.value.span)
    }
    entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
    return entries
  }
}
