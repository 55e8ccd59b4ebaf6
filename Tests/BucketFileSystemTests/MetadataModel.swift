import SystemCalls
import TestSupport

/// One object's metadata as the documentation has it, with nothing of how it is stored: what `XattrView` is compared
/// with.
struct MetadataModel {
  /// The last component of the object's name.
  var name: String
  let isFolder: Bool
  var content: String
  /// Fixed properties that are set.
  var fixed: [String: [UInt8]] = [:]
  var typeIsRemoved = false
  var custom: [[UInt8]: [UInt8]] = [:]
  /// What another program has set behind bucketfs's back, by the part of the name behind `user.`.
  var plain: [[UInt8]: [UInt8]] = [:]
  var metageneration = 1

  init(name: String, isFolder: Bool, content: String = "") {
    self.name = name
    self.isFolder = isFolder
    self.content = content
  }

  static let properties = Documented.writable.map(\.0)

  /// How an operation ends: with nothing, or with an errno.
  typealias Outcome = Errno?

  /// Fixed properties that show.
  var visible: [String: [UInt8]] {
    var all = fixed
    guard !isFolder else { return all }
    for property in ["cacheControl", "contentType"] {
      guard let value = plain[Array(property.utf8)], all[property] == nil, Value.errno(value, of: property) == nil,
        property != "contentType" || !typeIsRemoved
      else { continue }
      all[property] = value
    }
    return all
  }

  /// Custom entries that show.
  var entries: [[UInt8]: [UInt8]] {
    var all = custom
    for (key, value) in plain where all[key] == nil && !Self.properties.contains(String(decoding: key, as: UTF8.self)) {
      all[key] = value
    }
    return all
  }

  /// Notes a successful change: what shows is stored.
  private mutating func changed(_ body: (inout MetadataModel) -> Void) {
    fixed = visible
    custom = entries
    // What is no valid value is left alone.
    plain = plain.filter { key, value in
      let property = String(decoding: key, as: UTF8.self)
      return Self.properties.contains(property) && (isFolder || Value.errno(value, of: property) != nil)
        && fixed[property] == nil && !(property == "contentType" && typeIsRemoved)
    }
    body(&self)
    metageneration += 1
  }

  private static func check(_ flags: Int32, isSet: Bool) -> Outcome {
    if flags & 1 != 0 && isSet { return .fileExists }
    if flags & 2 != 0 && !isSet { return .noData }
    return nil
  }

  private static func total(_ entries: [[UInt8]: [UInt8]]) -> Int {
    entries.reduce(0) { $0 + $1.key.count + $1.value.count }
  }
}

/// The operations.
extension MetadataModel {
  mutating func set(_ property: String, _ value: [UInt8], flags: Int32) -> Outcome {
    if isFolder { return .notPermitted }
    if flags == 3 { return .invalidArgument }
    if let errno = Value.errno(value, of: property) { return errno }
    if let errno = Self.check(flags, isSet: visible[property] != nil) { return errno }
    changed {
      $0.fixed[property] = value
      if property == "contentType" { $0.typeIsRemoved = false }
    }
    return nil
  }

  mutating func remove(_ property: String) -> Outcome {
    if isFolder { return .notPermitted }
    let isDerived = property == "contentType" && !typeIsRemoved
    guard visible[property] != nil || isDerived else { return .noData }
    changed {
      $0.fixed[property] = nil
      if property == "contentType" { $0.typeIsRemoved = true }
    }
    return nil
  }

  mutating func set(key: [UInt8], _ value: [UInt8], flags: Int32) -> Outcome {
    if flags == 3 { return .invalidArgument }
    if value.count > 4096 { return .argumentListTooLong }
    var after = entries
    if let errno = Self.check(flags, isSet: after[key] != nil) { return errno }
    after[key] = value
    if Self.total(after) > 8192 { return .noSpace }
    changed { $0.custom = after }
    return nil
  }

  mutating func remove(key: [UInt8]) -> Outcome {
    guard entries[key] != nil else { return .noData }
    changed { $0.custom[key] = nil }
    return nil
  }

  /// Sets all entries that are text at once; nil removes them.
  mutating func setAll(_ new: [[UInt8]: [UInt8]]?, flags: Int32) -> Outcome {
    if new != nil, flags == 3 { return .invalidArgument }
    let isSet = entries.contains(where: Self.isText)
    if new == nil && !isSet { return .noData }
    if let errno = Self.check(flags, isSet: isSet) { return errno }
    var after = entries.filter { !Self.isText($0) }
    after.merge(new ?? [:]) { $1 }
    if Self.total(after) > 8192 { return .noSpace }
    changed { $0.custom = after }
    return nil
  }

  /// One update: nil removes.
  mutating func update(
    _ properties: [String: [UInt8]?], _ changes: [[UInt8]: [UInt8]?], metageneration: Int?
  ) -> Outcome {
    if isFolder && !properties.isEmpty { return .notPermitted }
    for (property, value) in properties {
      if let value, let errno = Value.errno(value, of: property) { return errno }
    }
    if let metageneration, isFolder || metageneration != self.metageneration { return .canceled }
    var after = entries
    for (key, value) in changes {
      if let value {
        after[key] = value
      } else if let old = after[key], Self.isText((key, old)) {
        after[key] = nil
      }
    }
    if Self.total(after) > 8192 { return .noSpace }
    guard !properties.isEmpty || !changes.isEmpty else { return nil }
    changed { model in
      model.custom = after
      for (property, value) in properties {
        model.fixed[property] = value
        if property == "contentType" { model.typeIsRemoved = value == nil }
      }
    }
    return nil
  }

  /// The content is another one.
  mutating func write(_ content: String) {
    self.content = content
    fixed["md5Hash"] = nil
    metageneration = 1
  }

  private static func isText(_ entry: (key: [UInt8], value: [UInt8])) -> Bool {
    [entry.key, entry.value].allSatisfy { String(validating: $0, as: UTF8.self) != nil && !$0.contains(0) }
  }

  /// The entries that JSON shows, sorted.
  var textEntries: [(key: [UInt8], value: [UInt8])] {
    entries.filter(Self.isText).sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// What is to be listed.
  var names: [[UInt8]] {
    let fixedNames = visible.keys.map { Array("user.\($0)".utf8) }
    let customNames = entries.keys.map { key -> [UInt8] in
      let name = String(decoding: key, as: UTF8.self)
      let isPlain =
        !Documented.readOnly.contains(name) && !Self.properties.contains(name) && name != "customMetadata"
        && name != "bucketfs" && name != "mime_type" && !name.hasPrefix("bucketfs.")
        && !name.hasPrefix("customMetadata.")
      return Array((isPlain ? "user." : "user.customMetadata.").utf8) + key
    }
    return fixedNames + customNames
  }
}
