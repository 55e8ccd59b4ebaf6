package import SystemCalls

/// Which media type an object has by its name: the bundled table first, so that an answer does not depend on the
/// machine, then `/etc/mime.types`, else `application/octet-stream`.
package final class MediaTypes: Sendable {
  /// Where the machine's own types are.
  package static let systemPath: StaticString = "/etc/mime.types"

  private static let bundled = MediaTypeTable(bundledText)
  private let path: [UInt8]
  private let system: Mutex<MediaTypeTable>

  /// Types of the bundled table and of the file at `path`, where there is one.
  package init(systemPath path: [UInt8] = MediaTypes.systemPath.bytes.array) {
    self.path = path
    system = Mutex(Self.read(path))
  }

  /// Reads the machine's file again.
  package func reload() {
    let table = Self.read(path)
    system.withLock { $0 = table }
  }

  /// What the machine's file holds, nothing where it cannot be read.
  package static var systemText: [UInt8] { text(of: systemPath.bytes.array) }

  /// Takes `text` as the content of the machine's file.
  package func reload(_ text: [UInt8]) {
    let table = MediaTypeTable(text)
    system.withLock { $0 = table }
  }

  /// Number of extensions in the bundled table.
  package static var bundledCount: Int { bundled.count }

  /// Appends the type of an object whose last component is `name`.
  package func append(typeOf name: Span<UInt8>, to output: inout ByteBuffer) {
    if let place = Self.fileExtension(of: name) {
      let fileExtension = name.extracting(place)
      if let type = Self.bundled.type(of: fileExtension) {
        output.append(Self.bundled.span.extracting(type))
        return
      }
      let isFound = system.withLock { table in
        guard let type = table.type(of: fileExtension) else { return false }
        output.append(table.span.extracting(type))
        return true
      }
      if isFound { return }
    }
    output.append("application/octet-stream")
  }

  /// What follows the last dot, nil where nothing does or where the name begins with its only dot.
  private static func fileExtension(of name: Span<UInt8>) -> Range<Int>? {
    var index = name.count - 1
    while index > 0 {
      if name[index] == UInt8(ascii: ".") { return index + 1 < name.count ? index + 1..<name.count : nil }
      index -= 1
    }
    return nil
  }

  /// The table of the file at `path`: empty where it cannot be read, cut where it is larger than any real one.
  private static func read(_ path: [UInt8]) -> MediaTypeTable {
    MediaTypeTable(text(of: path))
  }

  private static func text(of path: [UInt8]) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 1 << 20)
    var text: [UInt8] = []
    do throws(Errno) {
      let file = try System.open(path.span, in: .workingDirectory, [.readOnly, .nonBlocking])
      while text.count < buffer.capacity {
        let offset = Int64(text.count)
        let count = try buffer.fill { bytes throws(Errno) in
          try System.read(file.descriptor, at: offset, into: bytes)
        }
        if count == 0 { break }
        text.append(contentsOf: buffer.span.array)
      }
    } catch {
      // Most machines without the file have no need of it.
    }
    return text
  }
}
