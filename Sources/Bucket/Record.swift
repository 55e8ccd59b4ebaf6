/// An object's stored metadata, decoded to be changed. Reading needs no such copy: see `RecordView`.
package struct Record: Hashable, Sendable {
  /// Generation, metageneration, time of the latest change, and the content for which they hold.
  package var version: StoredVersion
  /// Whether md5Hash was set while the file was empty: then it is kept through the first content.
  package var md5IsProvisional = false
  private var values: [StoredValue] = Array(repeating: .unset, count: StoredProperty.allCases.count)
  /// Custom metadata, sorted by the keys' bytes, each key once.
  package var custom: [CustomEntry] = []
  /// Entries that other programs have set plainly and that are over the limits: they show, count for nothing and are
  /// not encoded. A change may remove them.
  package var unadopted: [CustomEntry] = []

  /// The record of an object that has no metadata.
  package init(version: StoredVersion) {
    self.version = version
  }

  /// What is stored of a fixed property. `removed` counts as `unset` where it cannot be stored.
  package subscript(property: StoredProperty) -> StoredValue {
    get { values[property.index] }
    set { values[property.index] = newValue == .removed && !property.canBeRemoved ? .unset : newValue }
  }

  /// The text of a fixed property, nil where none is stored.
  package func value(_ property: StoredProperty) -> [UInt8]? {
    if case .value(let bytes) = self[property] { bytes } else { nil }
  }

  /// Whether the record holds anything that an overflow file could.
  var canOverflow: Bool {
    !custom.isEmpty || StoredProperty.allCases.contains { $0 != .md5Hash && self[$0] != .unset }
  }

  /// Whether the record holds nothing but the version.
  package var holdsVersionOnly: Bool {
    custom.isEmpty && values.allSatisfy { $0 == .unset }
  }
}

extension Record {
  package var generation: UInt64 {
    get { version.generation }
    set { version.generation = newValue }
  }

  package var metageneration: UInt64 {
    get { version.metageneration }
    set { version.metageneration = newValue }
  }

  package var updated: UInt64 {
    get { version.updated }
    set { version.updated = newValue }
  }

  package var pin: Pin {
    get { version.pin }
    set { version.pin = newValue }
  }
}
