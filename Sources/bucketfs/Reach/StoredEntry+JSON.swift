internal import Bucket
internal import SystemCalls

/// The lines of a dump. Members: `fullPath`, the fixed properties that are set (a removed contentType as null),
/// `customMetadata`; bytes that no JSON can hold stand in base16 in `fullPathHex` and `customMetadataHex`.
extension StoredEntry {
  private static let fullPath: StaticString = "fullPath"
  private static let fullPathHex: StaticString = "fullPathHex"
  private static let custom: StaticString = "customMetadata"
  private static let customHex: StaticString = "customMetadataHex"

  /// The line, without its newline.
  var json: [UInt8] {
    var writer = JSONWriter()
    if name.span.isJSONText {
      writer.set(Self.fullPath.bytes, to: name.span)
    } else {
      let hex = Self.hex(name)
      writer.set(Self.fullPathHex.bytes, to: hex.span)
    }
    for index in Property.table.indices {
      guard let stored = Property.table[index].stored, let value = properties[stored] else { continue }
      switch value {
      case .unset: break
      case .removed: writer.setNull(stored.name.bytes)
      case .value(let text): writer.set(stored.name.bytes, to: text.span)
      }
    }
    let entries = custom.map { CustomEntry(key: $0.key, value: $0.value) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let text = entries.filter(\.isJSONText)
    if !text.isEmpty {
      var object = JSONWriter()
      for entry in text { object.set(entry.key.span, to: entry.value.span) }
      writer.set(Self.custom.bytes, to: object)
    }
    let binary = entries.filter { !$0.isJSONText }
    if !binary.isEmpty {
      var object = JSONWriter()
      for entry in binary {
        let (key, value) = (Self.hex(entry.key), Self.hex(entry.value))
        object.set(key.span, to: value.span)
      }
      writer.set(Self.customHex.bytes, to: object)
    }
    var output = ByteBuffer(capacity: 1 << 18)
    writer.append(to: &output)
    return output.array
  }

  /// Reads a line. Throws what is wrong with it.
  init(line: Span<UInt8>) throws(LineError) {
    let members: [JSONMember]
    do throws(JSONError) {
      members = try JSONValue.members(of: line, depth: 2)
    } catch {
      throw LineError(what: "it is no JSON object")
    }
    var name: [UInt8]?
    self.init(name: [])
    for member in members {
      let key = String(decoding: member.key, as: UTF8.self)
      switch (key, member.value) {
      case ("fullPath", .string(let text)): name = text
      case ("fullPathHex", .string(let text)): name = try Self.bytes(hex: text, key)
      case ("customMetadata", .object(let entries)):
        for entry in entries {
          guard case .string(let text) = entry.value else {
            throw LineError(what: "customMetadata is no object of strings")
          }
          try add(entry.key, text)
        }
      case ("customMetadataHex", .object(let entries)):
        for entry in entries {
          guard case .string(let text) = entry.value else { throw LineError(what: "\(key) is no object of strings") }
          try add(try Self.bytes(hex: entry.key, key), try Self.bytes(hex: text, key))
        }
      default: try add(member)
      }
    }
    guard let name else { throw LineError(what: "it has no fullPath") }
    self.name = name
  }

  /// What is wrong with a line.
  struct LineError: Error {
    let what: String
  }

  private mutating func add(_ member: JSONMember) throws(LineError) {
    let key = String(decoding: member.key, as: UTF8.self)
    guard let property = Property.named(member.key.span), let stored = property.stored else {
      throw LineError(what: "'\(key)' is no property that can be set")
    }
    switch member.value {
    case .null where stored.canBeRemoved: properties[stored] = .removed
    case .string(let text):
      do throws(MetadataError) {
        try property.check(text.span)
      } catch {
        throw LineError(what: "\(key): \(error.description)")
      }
      properties[stored] = .value(text)
    default: throw LineError(what: "\(key) is no string")
    }
  }

  private mutating func add(_ key: [UInt8], _ value: [UInt8]) throws(LineError) {
    do throws(MetadataError) {
      try CustomEntry.check(key: key.span)
      try CustomEntry.check(value: value.span)
    } catch {
      throw LineError(what: "customMetadata.\(key.displayed): \(error.description)")
    }
    custom[key] = value
  }

  private static func hex(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  private static func bytes(hex: [UInt8], _ member: String) throws(LineError) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: hex.count, by: 2) {
      let pair = String(decoding: hex[index..<min(index + 2, hex.count)], as: UTF8.self)
      guard pair.utf8.count == 2, let byte = UInt8(pair, radix: 16) else {
        throw LineError(what: "\(member) is not pairs of hexadecimal digits")
      }
      bytes.append(byte)
    }
    return bytes
  }
}
