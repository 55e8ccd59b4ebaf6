/// Bytes as text and as arrays.
extension Span<UInt8> {
  /// Whether the bytes are UTF-8.
  package var isUTF8: Bool {
    (try? UTF8Span(validating: self)) != nil
  }

  /// The bytes in an array of their own.
  package var array: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      for position in 0..<count {
        buffer.initializeElement(at: position, to: self[position])
      }
      initialized = count
    }
  }
}
