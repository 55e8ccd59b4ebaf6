/// Media types by file name extension, made from text in the format of mime.types(5): a type at the start of a line,
/// its extensions behind it, `#` before a comment. Looking one up allocates nothing.
struct MediaTypeTable: Sendable {
  private let text: [UInt8]
  /// Sorted by extension, each once.
  private let entries: [Entry]

  private struct Entry {
    let fileExtension: Range<Int>
    let type: Range<Int>
  }

  /// Reads `text`. Of an extension that is there twice the first counts; what is no media type is passed over.
  init(_ text: [UInt8]) {
    self.text = text
    let folded = text.map(Self.lowercased)
    var found: [Entry] = []
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      Self.readLine(of: text, start..<end, into: &found)
      start = end + 1
    }
    let sorted = found.enumerated().sorted { left, right in
      let (first, second) = (folded[left.element.fileExtension], folded[right.element.fileExtension])
      return first.lexicographicallyPrecedes(second) || first == second && left.offset < right.offset
    }
    var entries: [Entry] = []
    for (_, entry) in sorted where entries.last.map({ folded[$0.fileExtension] != folded[entry.fileExtension] }) ?? true
    {
      entries.append(entry)
    }
    self.entries = entries
  }

  private static func readLine(of text: [UInt8], _ line: Range<Int>, into found: inout [Entry]) {
    var type: Range<Int>?
    var position = line.lowerBound
    while position < line.upperBound {
      let word = position..<(text[position..<line.upperBound].firstIndex(where: isSpace) ?? line.upperBound)
      position = word.upperBound + 1
      guard !word.isEmpty else { continue }
      guard text[word.lowerBound] != UInt8(ascii: "#") else { return }
      if let type {
        found.append(Entry(fileExtension: word, type: type))
      } else {
        guard (try? ValueRule.mediaType.check(text.span.extracting(word))) != nil else { return }
        type = word
      }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Number of extensions.
  var count: Int { entries.count }

  /// The type of `fileExtension`, in any case of letters.
  func type(of fileExtension: Span<UInt8>) -> Range<Int>? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let order = order(of: fileExtension, to: entries[middle].fileExtension)
      if order == 0 { return entries[middle].type }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return nil
  }

  /// The text behind what `type(of:)` answers.
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { text.span }
  }

  private func order(of fileExtension: Span<UInt8>, to entry: Range<Int>) -> Int {
    for index in 0..<min(fileExtension.count, entry.count) {
      let difference = Int(Self.lowercased(fileExtension[index])) - Int(Self.lowercased(text[entry.lowerBound + index]))
      if difference != 0 { return difference }
    }
    return fileExtension.count - entry.count
  }
}
