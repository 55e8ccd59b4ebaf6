internal import Glibc

/// Names and values are compared as bytes: never normalised, never folded.
extension Span where Element == UInt8 {
  /// Whether both hold the same bytes.
  package func equals(_ other: Span<UInt8>) -> Bool {
    count == other.count && order(to: other) == 0
  }

  /// Whether the first bytes are those of `other`.
  package func starts(with other: Span<UInt8>) -> Bool {
    count >= other.count && extracting(first: other.count).order(to: other) == 0
  }

  /// Below zero where this sorts before `other`, byte by byte and the shorter first; zero where they are equal.
  package func order(to other: Span<UInt8>) -> Int {
    let common = min(count, other.count)
    let difference = withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        common == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, common)
      }
    }
    return difference != 0 ? Int(difference) : count - other.count
  }

  /// The place of the first `byte`, or nil.
  package func firstIndex(of byte: UInt8) -> Int? {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
      return UnsafeRawPointer(found) - start
    }
  }
}

extension StaticString {
  /// The UTF-8 of a literal.
  package var bytes: Span<UInt8> {
    @_lifetime(immortal)
    get {
      let span = Span(_unsafeStart: utf8Start, count: utf8CodeUnitCount)
      return _overrideLifetime(span, copying: ())
    }
  }
}
