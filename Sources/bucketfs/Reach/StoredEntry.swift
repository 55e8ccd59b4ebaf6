internal import Bucket
internal import SystemCalls

/// What is stored of one object, as `dump` writes and `apply` reads it.
struct StoredEntry: Hashable {
  /// The object name.
  var name: [UInt8]
  /// The fixed properties; a removed contentType too.
  var properties: [StoredProperty: StoredValue] = [:]
  /// The custom entries, by their keys.
  var custom: [[UInt8]: [UInt8]] = [:]

  /// Whether nothing is stored.
  var isEmpty: Bool { properties.isEmpty && custom.isEmpty }

  init(name: [UInt8]) {
    self.name = name
  }

  init(name: [UInt8], _ record: Record) {
    self.name = name
    for property in StoredProperty.allCases where record[property] != .unset { properties[property] = record[property] }
    for entry in record.custom + record.unadopted { custom[entry.key] = entry.value }
  }
}
