internal import SystemCalls

/// Changes of several properties that are one change of metadata.
package struct MetadataPatch: Hashable, Sendable {
  /// New values of fixed properties, nil to remove one.
  package var properties: [StoredProperty: [UInt8]?] = [:]
  /// What becomes of custom metadata.
  package var customMetadata = CustomChange.merge([:])
  /// The generation that the object must have.
  package var generation: UInt64?
  /// The metageneration that the object must have.
  package var metageneration: UInt64?

  /// What becomes of custom metadata.
  package enum CustomChange: Hashable, Sendable {
    /// Entries set, or removed where the value is nil; the others stay.
    case merge([[UInt8]: [UInt8]?])
    /// All entries that are text removed.
    case removeAll
  }

  package init() {}

  /// Whether it names no property, so that it only asks.
  package var isEmpty: Bool { properties.isEmpty && customMetadata == .merge([:]) }
}

extension MetadataPatch {
  /// Reads a JSON merge patch of writable properties with the members `ifGenerationMatch` and `ifMetagenerationMatch`.
  ///
  /// Throws, in this order: `malformedJSON` and `unknownMember`, `readOnlyProperty` and `notOnFolders`, then what is
  /// wrong with values. Source: RFC 7396.
  package init(json text: Span<UInt8>, onFolder: Bool) throws(MetadataError) {
    let members: [JSONMember]
    do throws(JSONError) {
      members = try JSONValue.members(of: text, depth: 2)
    } catch {
      throw .malformedJSON
    }
    var refusal: MetadataError?
    for member in members {
      if member.key.span.equals(Self.ifGenerationMatch.bytes) {
        generation = try Self.number(member.value)
      } else if member.key.span.equals(Self.ifMetagenerationMatch.bytes) {
        metageneration = try Self.number(member.value)
      } else if let property = Property.named(member.key.span) {
        let error = try take(member.value, of: property, onFolder: onFolder)
        refusal = refusal ?? error
      } else {
        throw .unknownMember
      }
    }
    if let refusal { throw refusal }
    try checkValues()
  }

  private static var ifGenerationMatch: StaticString { "ifGenerationMatch" }
  private static var ifMetagenerationMatch: StaticString { "ifMetagenerationMatch" }

  /// Takes one member. Returns why the property may not be changed, which counts only when all members are well formed.
  private mutating func take(
    _ value: JSONValue, of property: Property, onFolder: Bool
  ) throws(MetadataError) -> MetadataError? {
    switch property.source {
    case .customMetadata:
      try takeCustom(value)
    case .stored(let stored, _):
      switch value {
      case .null: properties[stored] = .some(nil)
      case .string(let text): properties[stored] = text
      default: throw .malformedJSON
      }
      return onFolder ? .notOnFolders : nil
    default:
      return .readOnlyProperty
    }
    return nil
  }

  private mutating func takeCustom(_ value: JSONValue) throws(MetadataError) {
    switch value {
    case .null:
      customMetadata = .removeAll
    case .object(let entries):
      var changes: [[UInt8]: [UInt8]?] = [:]
      for entry in entries {
        guard !entry.key.isEmpty else { throw .malformedJSON }
        switch entry.value {
        case .null: changes[entry.key] = .some(nil)
        case .string(let text): changes[entry.key] = text
        default: throw .malformedJSON
        }
      }
      customMetadata = .merge(changes)
    default:
      throw .malformedJSON
    }
  }

  /// A generation: a decimal string, or a number that is whole.
  private static func number(_ value: JSONValue) throws(MetadataError) -> UInt64 {
    switch value {
    case .integer(let number) where number >= 0:
      return UInt64(number)
    case .real(let number):
      if let whole = UInt64(exactly: number) { return whole }
    case .string(let digits):
      if let number = UInt64(digits: digits.span) { return number }
    default:
      break
    }
    throw .malformedJSON
  }

  /// Throws where a value cannot be stored.
  package func checkValues() throws(MetadataError) {
    for index in Property.table.indices {
      let property = Property.table[index]
      if let stored = property.stored, case let value?? = properties[stored] { try property.check(value.span) }
    }
    guard case .merge(let entries) = customMetadata else { return }
    for (key, value) in entries {
      try CustomEntry.check(key: key.span)
      if let value { try CustomEntry.check(value: value.span) }
    }
  }
}

extension UInt64 {
  /// Reads decimal digits and nothing else.
  init?(digits: Span<UInt8>) {
    guard digits.count > 0 else { return nil }
    var number: UInt64 = 0
    for index in digits.indices {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = digits[index] else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digits[index] - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      number = sum
    }
    self = number
  }
}
