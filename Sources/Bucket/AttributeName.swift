package import SystemCalls

/// Under which xattr names the properties are shown.
package enum PropertyNames: Sendable {
  /// The names of Cloud Storage: `user.contentType`.
  case properties
  /// Those of HTTP headers where a property becomes one: `user.content-type`. The others are accepted too, unlisted.
  case headers
}

/// What an xattr name stands for. The only place that maps names, both ways.
package enum AttributeName: Sendable {
  /// A property but customMetadata.
  case property(Property)
  /// The custom entry whose key is this part of the name.
  case custom(Range<Int>)
  /// `user.customMetadata`: all custom entries as JSON.
  case customMetadata
  /// `user.bucketfs.json`
  case json
  /// `user.bucketfs.update`
  case update
  /// `user.bucketfs.status`
  case status
  /// `user.bucketfs`, and whatever else is below it.
  case reserved
  /// A custom entry with an empty key.
  case emptyKey
  /// `security.` and what no other case names.
  case security
  /// A namespace that no object has.
  case unsupported

  package init(_ name: Span<UInt8>, _ names: PropertyNames = .properties) {
    guard name.starts(with: Self.user.bytes) else {
      let isSecurity = name.starts(with: Self.securityPrefix.bytes) && !name.equals(Self.selinux.bytes)
      self = isSecurity ? .security : .unsupported
      return
    }
    let start = Self.user.bytes.count
    self.init(name.extracting(droppingFirst: start), at: start, names)
  }

  /// Maps `name`, which is what follows `user.` from `start` on.
  private init(_ name: Span<UInt8>, at start: Int, _ names: PropertyNames) {
    if name.count == 0 {
      self = .emptyKey
    } else if let property = Self.property(name, names) {
      self = property.source == .customMetadata ? .customMetadata : .property(property)
    } else if name.starts(with: Self.longPrefix.bytes) {
      let key = start + Self.longPrefix.bytes.count
      self = key == start + name.count ? .emptyKey : .custom(key..<start + name.count)
    } else if name.equals(Self.own.bytes) {
      self = .reserved
    } else if name.starts(with: Self.ownPrefix.bytes) {
      self = Self.own(name.extracting(droppingFirst: Self.ownPrefix.bytes.count))
    } else {
      self = .custom(start..<start + name.count)
    }
  }

  private static func own(_ name: Span<UInt8>) -> AttributeName {
    if name.equals(("json" as StaticString).bytes) { return .json }
    if name.equals(("update" as StaticString).bytes) { return .update }
    if name.equals(("status" as StaticString).bytes) { return .status }
    return .reserved
  }

  /// The property that `name` stands for, in the form without `user.`.
  private static func property(_ name: Span<UInt8>, _ names: PropertyNames) -> Property? {
    if let property = Property.named(name) { return property }
    if name.equals(freedesktopType.bytes) { return .row(of: .contentType) }
    guard names == .headers else { return nil }
    for index in Property.table.indices {
      let property = Property.table[index]
      if let header = property.headerName, name.equals(header.bytes) { return property }
    }
    return nil
  }

  private static var user: StaticString { "user." }
  private static var own: StaticString { "bucketfs" }
  private static var ownPrefix: StaticString { "bucketfs." }
  private static var longPrefix: StaticString { "customMetadata." }
  /// How freedesktop.org's programs and Apache call a file's media type.
  static var freedesktopType: StaticString { "mime_type" }
  private static var securityPrefix: StaticString { "security." }
  /// Refused like an unknown namespace, so that ls asks once for a mount and not once for a file.
  private static var selinux: StaticString { "security.selinux" }
}

extension AttributeName {
  /// Bytes of the longest xattr name, `XATTR_NAME_MAX`.
  package static let limit = 255

  /// Where the key begins in the name of a custom entry's plain form.
  static var plainKeyStart: Int { user.bytes.count }

  /// Whether `name` is freedesktop.org's for the content type.
  static func isFreedesktopType(_ name: Span<UInt8>) -> Bool {
    name.extracting(droppingFirst: plainKeyStart).equals(freedesktopType.bytes)
  }

  /// Whether `user.KEY` is the custom entry `key`, and not something else.
  package static func isPlain(_ key: Span<UInt8>, _ names: PropertyNames = .properties) -> Bool {
    !(property(key, names) != nil || key.equals(own.bytes) || key.starts(with: ownPrefix.bytes)
      || key.starts(with: longPrefix.bytes))
  }

  /// Appends the one name under which the custom entry `key` is listed, and a NUL; nothing for a key that no xattr
  /// name can hold.
  package static func appendListed(
    key: Span<UInt8>, _ names: PropertyNames = .properties, to list: inout ByteBuffer
  ) {
    let isPlain = isPlain(key, names)
    let length = user.bytes.count + (isPlain ? 0 : longPrefix.bytes.count) + key.count
    guard length <= limit, key.firstIndex(of: 0) == nil else { return }
    list.append(user)
    if !isPlain { list.append(longPrefix) }
    list.append(key)
    list.append(0)
  }

  /// Appends the name under which `property` is listed, and a NUL.
  package static func appendListed(
    _ property: Property, _ names: PropertyNames = .properties, to list: inout ByteBuffer
  ) {
    list.append(user)
    if names == .headers, let header = property.headerName {
      list.append(header)
    } else {
      list.append(property.name)
    }
    list.append(0)
  }
}
