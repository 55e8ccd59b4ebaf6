internal import CJansson

/// JSON that was read, as far as metadata has any use for it.
package enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// UTF-8 without a NUL.
  case string([UInt8])
  case object([JSONMember])
  case array([JSONValue])
  /// An array or an object below the depth that was asked for.
  case nested
}

/// One member of a JSON object.
package struct JSONMember: Hashable, Sendable {
  package var key: [UInt8]
  package var value: JSONValue
}

extension JSONValue {
  /// Reads `text`, which must be one JSON object and nothing else. Objects more than `depth` deep are not looked into.
  ///
  /// Strict: a member twice, a NUL or a lone surrogate in a string, bytes that are not UTF-8, numbers beyond 64 bits and
  /// nesting beyond 2,048 are malformed.
  package static func members(of text: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONMember] {
    let document = text.withUnsafeBytes { bytes in
      // JSON_ALLOW_NUL and JSON_DISABLE_EOF_CHECK are not given.
      json_loadb(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, Int(JSON_REJECT_DUPLICATES), nil)
    }
    guard let document else { throw .malformed }
    defer { json_decref(document) }
    guard case .object(let members) = JSONValue(document, depth: depth) else { throw .malformed }
    return members
  }

  private init(_ json: UnsafeMutablePointer<json_t>, depth: Int) {
    switch json.pointee.type {
    case JSON_NULL: self = .null
    case JSON_TRUE: self = .boolean(true)
    case JSON_FALSE: self = .boolean(false)
    case JSON_INTEGER: self = .integer(json_integer_value(json))
    case JSON_REAL: self = .real(json_real_value(json))
    case JSON_STRING: self = .string(Self.bytes(json_string_value(json), json_string_length(json)))
    case JSON_OBJECT where depth > 0: self = .object(Self.members(json, depth: depth - 1))
    case JSON_ARRAY where depth > 0:
      self = .array(
        (0..<json_array_size(json)).compactMap { index in
          json_array_get(json, index).map { JSONValue($0, depth: depth - 1) }
        })
    default: self = .nested
    }
  }

  private static func members(_ object: UnsafeMutablePointer<json_t>, depth: Int) -> [JSONMember] {
    var members: [JSONMember] = []
    var iterator = json_object_iter(object)
    while let current = iterator {
      members.append(
        JSONMember(
          key: bytes(json_object_iter_key(current), json_object_iter_key_len(current)),
          value: JSONValue(json_object_iter_value(current), depth: depth)))
      iterator = json_object_iter_next(object, current)
    }
    return members
  }

  private static func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
