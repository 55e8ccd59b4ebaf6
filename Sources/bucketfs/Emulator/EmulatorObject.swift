internal import Bucket
internal import SystemCalls

/// One object's metadata as the Firebase Storage emulator exports it.
struct EmulatorObject {
  /// Firebase keeps an object's download tokens in this custom entry, comma separated.
  static let tokenKey = Array("firebaseStorageDownloadTokens".utf8)
  /// What is the bucket's own, or follows from the content.
  private static let derived: Set<String> = [
    "generation", "metageneration", "timeCreated", "updated", "etag", "md5Hash", "crc32c",
  ]

  var bucket: [UInt8] = []
  var entry = StoredEntry(name: [])
  var size: UInt64?
  /// Members that bucketfs does not keep.
  var dropped: [String] = []
  /// What cannot be stored as it is.
  var problems: [String] = []

  /// Reads the JSON. Throws what is wrong with it as a whole; refused values are among `problems`.
  init(json: [UInt8]) throws(StoredEntry.LineError) {
    let members: [JSONMember]
    do throws(JSONError) {
      members = try JSONValue.members(of: json.span, depth: 2)
    } catch {
      throw StoredEntry.LineError(what: "it is no JSON object")
    }
    entry.properties[.contentType] = .removed
    for member in members { take(member) }
    guard !entry.name.isEmpty else { throw StoredEntry.LineError(what: "it has no name") }
    let total = entry.custom.reduce(0) { $0 + $1.key.count + $1.value.count }
    if total > Limits.customTotal { problems.append("customMetadata: \(MetadataError.customMetadataFull.description)") }
  }

  private mutating func take(_ member: JSONMember) {
    let key = String(decoding: member.key, as: UTF8.self)
    switch (key, member.value) {
    case ("name", .string(let text)): entry.name = text
    case ("bucket", .string(let text)): bucket = text
    case ("size", .integer(let number)): size = UInt64(exactly: number)
    case ("size", .string(let digits)): size = UInt64(String(decoding: digits, as: UTF8.self))
    case (_, .null): break
    case (_, _) where Self.derived.contains(key): break
    case ("storageClass", .string(let text)) where text.elementsEqual("STANDARD".utf8): break
    case ("downloadTokens", .array(let tokens)):
      let texts = tokens.compactMap { token -> [UInt8]? in if case .string(let text) = token { text } else { nil } }
      if !texts.isEmpty { entry.custom[Self.tokenKey] = Array(texts.joined(separator: ",".utf8)) }
    case ("customMetadata", .object(let entries)):
      for custom in entries {
        guard case .string(let text) = custom.value else {
          problems.append("customMetadata.\(custom.key.displayed) is no string")
          continue
        }
        add(custom.key, text)
      }
    default:
      guard let property = Property.named(member.key.span), let stored = property.stored else {
        dropped.append(key)
        return
      }
      guard case .string(let text) = member.value else {
        problems.append("\(key) is no string")
        return
      }
      do throws(MetadataError) {
        try property.check(text.span)
        entry.properties[stored] = .value(text)
      } catch {
        problems.append("\(key): \(error.description)")
      }
    }
  }

  private mutating func add(_ key: [UInt8], _ value: [UInt8]) {
    do throws(MetadataError) {
      try CustomEntry.check(key: key.span)
      try CustomEntry.check(value: value.span)
      entry.custom[key] = value
    } catch {
      problems.append("customMetadata.\(key.displayed): \(error.description)")
    }
  }

  /// Why a bucket's directory can have no object of the name, nil where it can.
  static func problem(ofName name: [UInt8]) -> String? {
    let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts {
      if part.isEmpty { return "its name has an empty component, as no path of a file has" }
      if part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) { return "its name has the component . or .." }
      if part.count > 255 { return "its name has a component of more than 255 bytes" }
      if part.contains(0) { return "its name holds a NUL" }
    }
    return parts[0].elementsEqual(".bucketfs".utf8) ? ".bucketfs belongs to bucketfs" : nil
  }
}
