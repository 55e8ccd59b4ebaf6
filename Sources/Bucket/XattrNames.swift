internal import SystemCalls

/// What listxattr(2) gave: names, each with a NUL behind it.
package struct XattrNames: ~Escapable {
  private let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  /// Hands each name to `body`.
  package func forEach(_ body: (Span<UInt8>) -> Void) {
    forEach(withPlaces: { name, _ in body(name) })
  }

  /// Hands each name to `body`, and where it is.
  func forEach(withPlaces body: (Span<UInt8>, Range<Int>) -> Void) {
    var start = 0
    while start < bytes.count {
      let length = bytes.extracting(droppingFirst: start).firstIndex(of: 0) ?? bytes.count - start
      body(bytes.extracting(start..<start + length), start..<start + length)
      start += length + 1
    }
  }
}
