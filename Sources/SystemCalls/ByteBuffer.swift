internal import Glibc

/// Bytes in memory of its own, of a capacity that is fixed when it is made: filled by system calls and by appending,
/// read as a span. A thread that keeps one answers requests without allocating.
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  private let start: UnsafeMutablePointer<UInt8>
  /// Bytes that fit.
  package let capacity: Int
  /// Bytes that are filled.
  package private(set) var count = 0
  /// Whether more was appended than fits; `count` then stands at the last piece that did.
  package private(set) var overflowed = false

  package init(capacity: Int) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    start.deallocate()
  }

  /// Forgets the content.
  package mutating func removeAll() {
    count = 0
    overflowed = false
  }

  /// Cuts the content to its first `length` bytes.
  package mutating func truncate(to length: Int) {
    precondition(length <= count)
    count = length
  }

  /// Appends `bytes`, or nothing and notes the overflow.
  package mutating func append(_ bytes: Span<UInt8>) {
    guard bytes.count <= capacity - count else {
      overflowed = true
      return
    }
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { memcpy(start + count, base, source.count) }
    }
    count += bytes.count
  }

  /// Appends one byte, or nothing and notes the overflow.
  package mutating func append(_ byte: UInt8) {
    guard count < capacity else {
      overflowed = true
      return
    }
    start[count] = byte
    count += 1
  }

  /// Appends the ASCII text of a literal.
  package mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span)
  }

  /// Appends `number` in decimal digits, with zeros in front up to `width`.
  package mutating func append(decimal number: UInt64, width: Int = 1) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    var padding = width - digits
    while padding > 0 {
      append(UInt8(ascii: "0"))
      padding -= 1
    }
    guard digits <= capacity - count else {
      overflowed = true
      return
    }
    rest = number
    var position = count + digits
    while position > count {
      position -= 1
      start[position] = UInt8(truncatingIfNeeded: 48 + rest % 10)
      rest /= 10
    }
    count += digits
  }

  /// Replaces the content by what `body` writes into the whole memory; it returns how many bytes it wrote.
  @discardableResult
  package mutating func fill<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    removeAll()
    count = try body(UnsafeMutableRawBufferPointer(start: start, count: capacity))
    return count
  }

  /// Appends what `body` writes into the memory that is left; it returns how many bytes it wrote.
  @discardableResult
  package mutating func fillRest<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let added = try body(UnsafeMutableRawBufferPointer(start: start + count, count: capacity - count))
    count += added
    return added
  }

  /// The content.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let span = Span(_unsafeStart: start, count: count)
      return _overrideLifetime(span, borrowing: self)
    }
  }
}
