internal import SystemCalls

/// Bytes as text and as arrays.
extension Span<UInt8> {
  /// Whether the bytes are UTF-8.
  package var isUTF8: Bool {
    (try? UTF8Span(validating: self)) != nil
  }

  /// Whether JSON can hold the bytes: UTF-8 without a NUL. Custom entries of other bytes are no part of
  /// `customMetadata`.
  package var isJSONText: Bool {
    isUTF8 && firstIndex(of: 0) == nil
  }

  /// The bytes in an array of their own.
  package var array: [UInt8] {
    // The initializer below writes the count even into the one empty array that all share, a data race.
    if count == 0 { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      for position in 0..<count {
        buffer.initializeElement(at: position, to: self[position])
      }
      initialized = count
    }
  }
}
