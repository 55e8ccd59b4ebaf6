/// Rows of text in aligned columns, for people.
enum Table {
  /// The rows as lines. Columns are two blanks apart; what stands in `right` columns is aligned to the right.
  static func text(_ rows: [[String]], right: Set<Int> = []) -> String {
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], cell.count)
      }
    }
    return rows.map { row in
      var line = ""
      for (index, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - cell.count)
        let isLast = index == row.count - 1
        line += right.contains(index) ? padding + cell : isLast ? cell : cell + padding
        if !isLast { line += "  " }
      }
      return line + "\n"
    }.joined()
  }

  /// Text for a terminal: control characters, which could do anything there, as `\n` or `\x1b`.
  static func escaped(_ bytes: [UInt8]) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}":
        text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
