internal import SystemCalls

/// One property of an object, a row of the table from which reading, listing, writing, removing, the command, the
/// library and the documentation follow. A new property is one row and its test.
package struct Property: Sendable {
  /// The property's name in Cloud Storage; behind `user.` the name of its xattr.
  package let name: StaticString
  /// The xattr's name behind `user.` where names are to be those of HTTP headers.
  package let headerName: StaticString?
  /// Where its value comes from.
  package let source: Source
  /// What may be stored; nil for what nobody can set.
  package let rule: ValueRule?
  /// Whether folders have it.
  package let isOnFolders: Bool

  /// Where a property's value comes from.
  package enum Source: Hashable, Sendable {
    case bucketName
    case objectName
    case lastComponent
    case size
    case generation
    case metageneration
    case timeCreated
    case updated
    /// The record; and where nothing is stored, what else.
    case stored(StoredProperty, otherwise: Fallback)
    /// The custom entries of the record.
    case customMetadata
  }

  /// What a stored property reads as while it is not set.
  package enum Fallback: Hashable, Sendable {
    case nothing
    /// The media type of the object's name.
    case mediaType
    /// The digest of the content.
    case digest
  }

  /// Whether a user may set it.
  package var isWritable: Bool {
    switch source {
    case .stored, .customMetadata: true
    default: false
    }
  }

  /// The record's property behind it, nil where it is none.
  package var stored: StoredProperty? {
    if case .stored(let property, _) = source { property } else { nil }
  }
}

extension Property {
  /// The table, in the order of Cloud Storage's documentation.
  package static let table: InlineArray<15, Property> = [
    readOnly("bucket", .bucketName, isOnFolders: true),
    readOnly("generation", .generation),
    readOnly("metageneration", .metageneration),
    readOnly("fullPath", .objectName, isOnFolders: true),
    readOnly("name", .lastComponent, isOnFolders: true),
    readOnly("size", .size),
    readOnly("timeCreated", .timeCreated),
    readOnly("updated", .updated),
    writable(.md5Hash, .digest, otherwise: .digest),
    writable(.cacheControl, .text, header: "cache-control"),
    writable(.contentDisposition, .text, header: "content-disposition"),
    writable(.contentEncoding, .tokens, header: "content-encoding"),
    writable(.contentLanguage, .languageTags, header: "content-language"),
    writable(.contentType, .mediaType, otherwise: .mediaType, header: "content-type"),
    Property(name: "customMetadata", headerName: nil, source: .customMetadata, rule: nil, isOnFolders: true),
  ]

  /// The row of what a record holds.
  package static func row(of property: StoredProperty) -> Property {
    for index in table.indices where table[index].stored == property { return table[index] }
    preconditionFailure("each stored property has a row")
  }

  /// The row of that name, by bytes, nil where there is none.
  package static func named(_ name: Span<UInt8>) -> Property? {
    for index in table.indices where name.equals(table[index].name.bytes) { return table[index] }
    return nil
  }

  private static func readOnly(_ name: StaticString, _ source: Source, isOnFolders: Bool = false) -> Property {
    Property(name: name, headerName: nil, source: source, rule: nil, isOnFolders: isOnFolders)
  }

  private static func writable(
    _ property: StoredProperty, _ rule: ValueRule, otherwise: Fallback = .nothing, header: StaticString? = nil
  ) -> Property {
    Property(
      name: property.name, headerName: header, source: .stored(property, otherwise: otherwise), rule: rule,
      isOnFolders: false)
  }
}
