internal import Bucket
internal import Foundation

/// The fixed properties that a caller may assign.
typealias WritableProperty = StoredProperty

/// What a `StorageMetadata` holds.
struct MetadataState: Sendable {
  /// The read-only properties of an object; nil where nothing was read.
  var facts: Facts?
  /// The object that was read.
  var reference: StorageReference?
  /// The fixed properties that are set.
  var values: [WritableProperty: String] = [:]
  /// Custom metadata, nil where there is none.
  var custom: [String: String]?

  /// The fixed properties that were assigned, with nil too.
  private(set) var assigned: Set<WritableProperty> = []
  /// Whether custom metadata was assigned.
  private(set) var isCustomAssigned = false
  /// The keys of the custom entries that were read.
  private var readKeys: Set<String> = []

  /// The read-only properties.
  struct Facts: Equatable, Sendable {
    var bucket: String
    var fullPath: String
    var name: String
    var generation: Int64
    var metageneration: Int64
    var size: Int64
    var timeCreated: Date
    var updated: Date
  }

  init() {}

  /// What was read of an object.
  init(
    _ facts: Facts, of reference: StorageReference, values: [WritableProperty: String], custom: [String: String]?
  ) {
    self.facts = facts
    self.reference = reference
    self.values = values
    self.custom = custom
    readKeys = Set(custom?.keys ?? [:].keys)
  }

  mutating func assign(_ property: WritableProperty, _ value: String?) {
    values[property] = value
    assigned.insert(property)
  }

  mutating func assign(custom value: [String: String]?) {
    custom = value
    isCustomAssigned = true
  }

  /// The change of metadata that an update makes of it.
  var patch: MetadataPatch {
    var patch = MetadataPatch()
    for property in assigned {
      patch.properties[property] = .some(values[property].map { Array($0.utf8) })
    }
    guard isCustomAssigned else { return patch }
    guard let custom else {
      patch.customMetadata = .removeAll
      return patch
    }
    var entries: [[UInt8]: [UInt8]?] = [:]
    for key in readKeys { entries[Array(key.utf8)] = .some(nil) }
    for (key, value) in custom { entries[Array(key.utf8)] = .some(Array(value.utf8)) }
    patch.customMetadata = .merge(entries)
    return patch
  }

  /// The whole metadata of a new content: what is here, read or assigned, and deletions that were asked for. A digest
  /// that was read is the other content's.
  var replacement: MetadataPatch {
    var patch = MetadataPatch()
    for property in WritableProperty.allCases {
      let isAssigned = assigned.contains(property)
      if property == .md5Hash, !isAssigned { continue }
      guard isAssigned || values[property] != nil else { continue }
      patch.properties[property] = .some(values[property].map { Array($0.utf8) })
    }
    var entries: [[UInt8]: [UInt8]?] = [:]
    for (key, value) in custom ?? [:] { entries[Array(key.utf8)] = .some(Array(value.utf8)) }
    patch.customMetadata = .merge(entries)
    return patch
  }
}
