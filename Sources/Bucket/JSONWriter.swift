internal import CJansson
package import SystemCalls

/// A JSON object that is being made, member after member, and printed in that order without spaces.
package struct JSONWriter: ~Copyable {
  private let object: UnsafeMutablePointer<json_t>

  package init() {
    guard let object = json_object() else { fatalError("no memory for a JSON object") }
    self.object = object
  }

  deinit {
    json_decref(object)
  }

  /// Adds a member whose value is `text`. Both must be UTF-8 without a NUL.
  package mutating func set(_ key: Span<UInt8>, to text: Span<UInt8>) {
    let value = text.withUnsafeBytes { bytes in
      json_stringn(bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nothing, bytes.count)
    }
    set(key, owning: value)
  }

  /// Adds a member whose value is the object `other`.
  package mutating func set(_ key: Span<UInt8>, to other: consuming JSONWriter) {
    set(key, owning: json_incref(other.object))
  }

  /// Adds a member whose value is a number.
  package mutating func set(_ key: Span<UInt8>, to number: UInt64) {
    set(key, owning: json_integer(json_int_t(clamping: number)))
  }

  /// Adds a member whose value is null.
  package mutating func setNull(_ key: Span<UInt8>) {
    set(key, owning: json_null())
  }

  /// Adds a member whose value is an array of strings, each UTF-8 without a NUL.
  package mutating func set(_ key: Span<UInt8>, to texts: [[UInt8]]) {
    let array = json_array()
    for text in texts {
      text.withUnsafeBytes { bytes in
        _ = json_array_append_new(
          array, json_stringn(bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nothing, bytes.count))
      }
    }
    set(key, owning: array)
  }

  private func set(_ key: Span<UInt8>, owning value: UnsafeMutablePointer<json_t>?) {
    let failure = key.withUnsafeBytes { bytes in
      json_object_setn_new(
        object, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nothing, bytes.count, value)
    }
    assert(failure == 0, "keys and values are text")
  }

  private static var nothing: UnsafePointer<CChar> {
    UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Appends the text of the object.
  package func append(to output: inout ByteBuffer) {
    let length = json_dumpb(object, nil, 0, Int(JSON_COMPACT))
    var text = ByteBuffer(capacity: length)
    text.fill { bytes in
      json_dumpb(object, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, Int(JSON_COMPACT))
    }
    output.append(text.span)
  }
}
