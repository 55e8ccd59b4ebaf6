internal import SystemCalls

/// One entry of an object's custom metadata, as bytes: another program may have stored what is not UTF-8.
package struct CustomEntry: Hashable, Sendable {
  /// 1 to 1,024 bytes.
  package var key: [UInt8]
  /// At most 4,096 bytes.
  package var value: [UInt8]

  package init(key: [UInt8], value: [UInt8]) {
    self.key = key
    self.value = value
  }

  /// Bytes that count towards the total.
  package var count: Int { key.count + value.count }

  /// Whether this is the entry `other`.
  func hasKey(_ other: Span<UInt8>) -> Bool {
    key.span.equals(other)
  }
}
