/// One event of a watched filesystem, in a buffer that `System.readEvents` filled.
///
/// Source: fanotify(7), `struct fanotify_event_metadata` and the information records behind it.
package struct ChangeEvent: Sendable {
  /// What happened; several that one process made of one file may be one event.
  package struct Kinds: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
      self.rawValue = rawValue
    }

    package static let attributes = Kinds(rawValue: 0x4)
    /// A file that was open for writing was closed.
    package static let written = Kinds(rawValue: 0x8)
    package static let movedFrom = Kinds(rawValue: 0x40)
    package static let movedTo = Kinds(rawValue: 0x80)
    package static let created = Kinds(rawValue: 0x100)
    package static let deleted = Kinds(rawValue: 0x200)
    /// More happened than the kernel keeps: what, is not known.
    package static let overflow = Kinds(rawValue: 0x4000)
    /// Not an event: those of folders too.
    package static let folders = Kinds(rawValue: 0x4000_0000)

    /// What a name was given or lost by.
    package static let names: Kinds = [.movedFrom, .movedTo, .created, .deleted]
    /// All that is watched. Not each write by itself: that would slow down all who write.
    package static let watched: Kinds = [.attributes, .written, .names, .folders]
  }

  /// A file as the kernel can find it again.
  package struct Handle: Sendable {
    /// The number of its filesystem, as `System.fileSystemNumber` gives it.
    package let fileSystem: UInt64
    /// Where its `struct file_handle` is.
    package let bytes: Range<Int>
  }

  package let kinds: Kinds
  /// Who did it, 0 for a process of another namespace.
  package let process: Int32
  /// The folder in which it happened.
  package private(set) var folder: Handle?
  /// Where the name in `folder` is; `.` for the folder itself.
  package private(set) var name: Range<Int>?
  /// The file that it happened to.
  package private(set) var target: Handle?
  /// Where the following event starts.
  package let end: Int

  /// Reads the event that starts at `start`, nil at the end of the buffer.
  package init?(_ bytes: Span<UInt8>, at start: Int) {
    let raw = bytes.bytes
    guard bytes.count - start >= 24 else { return nil }
    let length = Int(raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self))
    guard length >= 24, length <= bytes.count - start else { return nil }
    end = start + length
    kinds = Kinds(rawValue: raw.unsafeLoadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
    process = raw.unsafeLoadUnaligned(fromByteOffset: start + 20, as: Int32.self)
    var record = start + Int(raw.unsafeLoadUnaligned(fromByteOffset: start + 6, as: UInt16.self))
    // The header of a record, the filesystem's number and the handle's own header.
    while record + 20 <= end {
      let recordLength = Int(raw.unsafeLoadUnaligned(fromByteOffset: record + 2, as: UInt16.self))
      let handleLength = Int(raw.unsafeLoadUnaligned(fromByteOffset: record + 12, as: UInt32.self))
      guard recordLength >= 20 + handleLength, record + recordLength <= end else { break }
      let handle = Handle(
        fileSystem: raw.unsafeLoadUnaligned(fromByteOffset: record + 4, as: UInt64.self),
        bytes: record + 12..<record + 20 + handleLength)
      switch bytes[record] {
      case 1: target = handle
      case 2:
        folder = handle
        var last = handle.bytes.upperBound
        while last < record + recordLength, bytes[last] != 0 { last += 1 }
        name = handle.bytes.upperBound..<last
      default: break
      }
      record += recordLength
    }
  }
}
