internal import Bucket
internal import SystemCalls
internal import Foundation

/// Metadata as a dictionary.
extension StorageMetadata {
  /// Metadata of which the writable properties in `dictionary` were assigned.
  ///
  /// - Parameter dictionary: properties under their names. `md5Hash`, `cacheControl`, `contentDisposition`,
  ///   `contentEncoding`, `contentLanguage` and `contentType` are strings; `customMetadata`, or `metadata` as Cloud
  ///   Storage's JSON calls it, is a dictionary of strings. `NSNull` stands for nil, which deletes. Read-only properties
  ///   are taken where `bucket` and `fullPath` are both given: `generation`, `metageneration` and `size` as numbers or
  ///   decimal strings, `timeCreated` and `updated` as `Date` or RFC 3339. What is of another type is ignored.
  public convenience init(dictionary: [String: Any]) {
    var state = MetadataState()
    state.facts = Self.facts(in: dictionary)
    for property in StoredProperty.allCases {
      let value = dictionary["\(property.name)"]
      if let text = value as? String {
        state.assign(property, text)
      } else if value is NSNull {
        state.assign(property, nil)
      }
    }
    let custom = dictionary["customMetadata"] ?? dictionary["metadata"]
    if let entries = custom as? [String: String] {
      state.assign(custom: entries)
    } else if custom is NSNull {
      state.assign(custom: nil)
    }
    self.init(state)
  }

  private static func facts(in dictionary: [String: Any]) -> MetadataState.Facts? {
    guard let bucket = dictionary["bucket"] as? String, let fullPath = dictionary["fullPath"] as? String else {
      return nil
    }
    return MetadataState.Facts(
      bucket: bucket, fullPath: fullPath,
      name: dictionary["name"] as? String ?? fullPath.split(separator: "/").last.map(String.init) ?? "",
      generation: number(dictionary["generation"]), metageneration: number(dictionary["metageneration"]),
      size: number(dictionary["size"]), timeCreated: date(dictionary["timeCreated"]),
      updated: date(dictionary["updated"]))
  }

  private static func number(_ value: Any?) -> Int64 {
    if let number = value as? Int64 { return number }
    if let number = value as? Int { return Int64(number) }
    return (value as? String).flatMap { Int64($0) } ?? 0
  }

  private static func date(_ value: Any?) -> Date {
    if let date = value as? Date { return date }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return (value as? String).flatMap { try? Date($0, strategy: style) } ?? Date(timeIntervalSince1970: 0)
  }

  /// All properties that are set, under their names: `generation` and `metageneration` as decimal strings, `size` as
  /// `Int64`, `timeCreated` and `updated` as RFC 3339 in UTC with three digits of a second's fraction, `customMetadata` as
  /// `[String: String]`, the others as strings. `init(dictionary:)` reads it.
  public func dictionaryRepresentation() -> [String: Any] {
    let state = snapshot
    var dictionary: [String: Any] = [:]
    if let facts = state.facts {
      dictionary["bucket"] = facts.bucket
      dictionary["generation"] = String(facts.generation)
      dictionary["metageneration"] = String(facts.metageneration)
      dictionary["fullPath"] = facts.fullPath
      dictionary["name"] = facts.name
      dictionary["size"] = facts.size
      dictionary["timeCreated"] = facts.timeCreated.rfc3339
      dictionary["updated"] = facts.updated.rfc3339
    }
    for (property, value) in state.values { dictionary["\(property.name)"] = value }
    dictionary["customMetadata"] = state.custom
    return dictionary
  }
}

extension Date {
  /// The time of so many microseconds since 1970.
  init(microseconds: UInt64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  /// RFC 3339 in UTC with three digits of a second's fraction, cut as everywhere in a bucket.
  fileprivate var rfc3339: String {
    var text = ByteBuffer(capacity: 32)
    text.append(rfc3339: UInt64(max(0, (timeIntervalSince1970 * 1_000_000).rounded())))
    return String(decoding: text.span.array, as: UTF8.self)
  }
}
