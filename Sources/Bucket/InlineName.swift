internal import SystemCalls

/// The name of an xattr in the `user.` namespace, put together without allocating.
struct InlineName {
  /// Bytes of the longest key behind `user.`.
  static let keyLimit = 250

  private var bytes = InlineArray<255, UInt8>(repeating: 0)
  private var count = 0

  /// `user.` and nothing behind it.
  init() {
    append(("user." as StaticString).bytes)
  }

  /// Appends `part`, which must fit.
  mutating func append(_ part: Span<UInt8>) {
    for position in 0..<part.count {
      bytes[count + position] = part[position]
    }
    count += part.count
  }

  /// The name.
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(first: count) }
  }
}
