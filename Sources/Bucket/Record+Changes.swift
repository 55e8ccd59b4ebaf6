package import SystemCalls

/// The changes that a user can ask for. Each either succeeds or throws and has changed nothing.
extension Record {
  /// Sets a fixed property to `value`, which its rule has accepted, of a file of `size` bytes.
  package mutating func set(
    _ property: StoredProperty, to value: [UInt8], _ flags: XattrFlags = [], size: UInt64
  ) throws(MetadataError) {
    try Self.check(flags, isSet: self.value(property) != nil)
    self[property] = .value(value)
    if property == .md5Hash { md5IsProvisional = size == 0 }
  }

  /// Removes a fixed property. A content type that is only derived can be removed too, once.
  package mutating func remove(_ property: StoredProperty) throws(MetadataError) {
    guard self.value(property) != nil || property.canBeRemoved && self[property] == .unset else { throw .notSet }
    self[property] = .removed
    if property == .md5Hash { md5IsProvisional = false }
  }

  /// Sets a custom entry whose key and value are within their limits.
  package mutating func set(_ entry: CustomEntry, _ flags: XattrFlags = []) throws(MetadataError) {
    try Self.check(flags, isSet: customValue(entry.key.span) != nil)
    var changed = self
    changed.setCustom(entry)
    guard changed.customTotal <= Limits.customTotal else { throw .customMetadataFull }
    self = changed
  }

  /// Removes a custom entry.
  package mutating func remove(custom key: Span<UInt8>) throws(MetadataError) {
    guard removeCustom(key) else { throw .notSet }
  }

  /// Makes `entries` the whole of custom metadata. Entries that are no text stay, unless one of these has their key.
  package mutating func replaceCustomMetadata(
    with entries: [CustomEntry], _ flags: XattrFlags = []
  ) throws(MetadataError) {
    try Self.check(flags, isSet: allCustom.contains { $0.isJSONText })
    var changed = self
    changed.removeJSONText()
    for entry in entries { changed.setCustom(entry) }
    guard changed.customTotal <= Limits.customTotal else { throw .customMetadataFull }
    self = changed
  }

  /// Removes all custom entries that are text.
  package mutating func removeCustomMetadata() throws(MetadataError) {
    guard allCustom.contains(where: { $0.isJSONText }) else { throw .notSet }
    removeJSONText()
  }

  /// The entries that are part of `customMetadata`, sorted by the bytes of their keys.
  package var textEntries: [CustomEntry] {
    let entries = allCustom.filter { $0.isJSONText }
    return unadopted.isEmpty ? entries : entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Every entry that shows.
  private var allCustom: [CustomEntry] { custom + unadopted }

  private mutating func removeJSONText() {
    custom.removeAll { $0.isJSONText }
    unadopted.removeAll { $0.isJSONText }
  }

  /// Applies `patch`, whose values were checked, to the metadata of a file of `size` bytes and of `version`; nil is a
  /// folder, which has none that a patch could ask for.
  package mutating func apply(
    _ patch: MetadataPatch, size: UInt64, version: ObjectVersion?
  ) throws(MetadataError) {
    if let generation = patch.generation, generation != version?.generation { throw .generationMismatch }
    if let number = patch.metageneration, number != version?.metageneration { throw .metagenerationMismatch }
    var changed = self
    for (property, value) in patch.properties {
      if let value {
        try changed.set(property, to: value, size: size)
      } else {
        changed[property] = .removed
        if property == .md5Hash { changed.md5IsProvisional = false }
      }
    }
    switch patch.customMetadata {
    case .removeAll:
      changed.removeJSONText()
    case .merge(let entries):
      for (key, value) in entries {
        if let value {
          changed.setCustom(CustomEntry(key: key, value: value))
        } else if changed.customValue(key.span).map({ $0.span.isJSONText }) == true {
          changed.removeCustom(key.span)
        }
      }
    }
    guard changed.customTotal <= Limits.customTotal else { throw .customMetadataFull }
    self = changed
  }

  private static func check(_ flags: XattrFlags, isSet: Bool) throws(MetadataError) {
    if flags.contains(.create) && isSet { throw .alreadySet }
    if flags.contains(.replace) && !isSet { throw .notSet }
  }
}
