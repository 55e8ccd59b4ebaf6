/// Goes through a value from left to right. Each `scan` takes what it names and tells whether it was there.
struct TextScanner: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) {
    self.text = text
  }

  var isAtEnd: Bool { position == text.count }

  /// The byte to come, nil at the end.
  var next: UInt8? { position < text.count ? text[position] : nil }

  /// Takes `byte`.
  @_lifetime(self: copy self)
  mutating func scan(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  /// Takes as many bytes as `belongs` accepts, at most `limit`. Returns how many.
  @_lifetime(self: copy self)
  mutating func scan(upTo limit: Int = .max, while belongs: (UInt8) -> Bool) -> Int {
    let start = position
    while let byte = next, position - start < limit, belongs(byte) { position += 1 }
    return position - start
  }

  /// Takes RFC 9110's OWS: there may be none.
  @_lifetime(self: copy self)
  mutating func skipSpaces() {
    _ = scan { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Takes RFC 9110's token.
  @_lifetime(self: copy self)
  mutating func scanToken() -> Bool {
    scan(while: Self.isTokenByte) > 0
  }

  /// Takes elements with commas and optional spaces between, up to the end.
  @_lifetime(self: copy self)
  mutating func scanList(_ element: (inout TextScanner) -> Bool) -> Bool {
    repeat {
      skipSpaces()
      guard element(&self) else { return false }
      skipSpaces()
    } while scan(UInt8(ascii: ","))
    return isAtEnd
  }
}

extension TextScanner {
  /// Takes `type/subtype` and its parameters. A semicolon may have none behind it, as the grammar allows.
  ///
  /// Source: RFC 9110, sections 8.3.1 and 5.6.6.
  @_lifetime(self: copy self)
  mutating func scanMediaType() -> Bool {
    guard scanToken(), scan(UInt8(ascii: "/")), scanToken() else { return false }
    while !isAtEnd {
      skipSpaces()
      guard scan(UInt8(ascii: ";")) else { return false }
      skipSpaces()
      if let byte = next, byte != UInt8(ascii: ";") {
        guard scanToken(), scan(UInt8(ascii: "=")), scanToken() || scanQuotedString() else { return false }
      }
    }
    return true
  }

  /// Takes RFC 9110's quoted-string, section 5.6.4.
  @_lifetime(self: copy self)
  private mutating func scanQuotedString() -> Bool {
    guard scan(UInt8(ascii: "\"")) else { return false }
    while let byte = next, byte != UInt8(ascii: "\"") {
      position += 1
      if byte == UInt8(ascii: "\\") {
        guard !isAtEnd else { return false }
        position += 1
      }
    }
    return scan(UInt8(ascii: "\""))
  }

  /// Takes a language tag: subtags of at most eight letters and digits with hyphens between. The first is a language
  /// of two to eight letters, or `x` or `i`. A subtag of one character announces the next and cannot be the last, but
  /// behind `x`, where all is private.
  ///
  /// Source: the shape of RFC 5646, section 2.1, without its registry.
  @_lifetime(self: copy self)
  mutating func scanLanguageTag() -> Bool {
    var isPrivate = nextIsLetter("x")
    let mayStandAlone = isPrivate || nextIsLetter("i")
    let length = scan(upTo: 8, while: Self.isLetter)
    guard length > 1 || length == 1 && mayStandAlone else { return false }
    isPrivate = isPrivate && length == 1
    var announces = length == 1
    while scan(UInt8(ascii: "-")) {
      let startsPrivate = nextIsLetter("x")
      let length = scan(upTo: 8) { Self.isLetter($0) || Self.isDigit($0) }
      guard length > 0 else { return false }
      announces = length == 1 && !isPrivate
      isPrivate = isPrivate || announces && startsPrivate
    }
    return !announces
  }

  /// Whether the byte to come is that letter, in either case.
  private func nextIsLetter(_ letter: Unicode.Scalar) -> Bool {
    next.map { $0 | 0x20 == UInt8(ascii: letter) } ?? false
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// RFC 9110's tchar, section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }
}
