package import SystemCalls

/// The name of an object or a folder: its path from the root folder, as bytes, without slashes at the ends and without
/// two in a row. Empty for the root folder.
package struct ObjectPath: Hashable, Sendable {
  /// The path.
  package let bytes: [UInt8]

  /// The path that `text` stands for: runs of slashes count as one, those at the ends as none.
  package init(_ text: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    for component in Array(text).split(separator: Self.slash) {
      if !bytes.isEmpty { bytes.append(Self.slash) }
      bytes.append(contentsOf: component)
    }
    self.bytes = bytes
  }

  private init(joined bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The root folder.
  package static let root = ObjectPath(joined: [])

  private static let slash = UInt8(ascii: "/")

  package var isRoot: Bool { bytes.isEmpty }

  /// The place of the last slash, nil for what lies in the root folder.
  var lastSlash: Int? { bytes.lastIndex(of: Self.slash) }

  /// What follows the last slash; empty for the root folder.
  package var lastComponent: [UInt8] {
    guard let place = lastSlash else { return bytes }
    return Array(bytes[(place + 1)...])
  }

  /// The folder that holds it, nil for the root folder.
  package var parent: ObjectPath? {
    guard !isRoot else { return nil }
    return ObjectPath(joined: Array(bytes[..<(lastSlash ?? 0)]))
  }

  /// The path of `other` below this one.
  package func appending(_ other: ObjectPath) -> ObjectPath {
    if isRoot { return other }
    return other.isRoot ? self : ObjectPath(joined: bytes + [Self.slash] + other.bytes)
  }

  /// Why nothing can have that name, nil where something can.
  package var refusal: Refusal? {
    if bytes.contains(0) { return .holdsNUL }
    var start = 0
    while start <= bytes.count {
      let end = bytes[start...].firstIndex(of: Self.slash) ?? bytes.count
      let dots = end - start <= 2 && bytes[start..<end].allSatisfy { $0 == UInt8(ascii: ".") }
      if dots, end > start { return .dotComponent }
      start = end + 1
    }
    return nil
  }

  /// Why nothing can have a name.
  package enum Refusal: Error, Hashable, Sendable {
    /// A component is "." or "..", which would lead elsewhere.
    case dotComponent
    /// No file name holds a NUL.
    case holdsNUL
    /// Longer than the filesystem's names and paths.
    case tooLong
    /// The root folder is no object.
    case isRoot
    /// The name is bucketfs's own.
    case isPrivate
  }

  /// Whether this is bucketfs's own folder or in it.
  package var isPrivate: Bool {
    let name = PrivateFolder.name.bytes
    return bytes.span.starts(with: name) && (bytes.count == name.count || bytes[name.count] == Self.slash)
  }
}

extension ObjectPath: ObjectNaming {
  package func appendObjectName(to output: inout ByteBuffer) {
    output.append(bytes.span)
  }

  package func appendLastComponent(to output: inout ByteBuffer) {
    output.append(lastComponent.span)
  }
}
