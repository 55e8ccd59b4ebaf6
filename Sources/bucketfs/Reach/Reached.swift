internal import Bucket
internal import SystemCalls

/// An object or a folder as a command reaches it. The descriptor is borrowed.
struct Reached {
  /// Opened with O_PATH.
  var file: Descriptor
  var kind: ObjectReference.Kind
  /// Its object name, empty for the root folder; where a mount is asked, only as far as it was needed.
  var name: [UInt8]
  /// How people call it: the path that they gave, and what follows below it.
  var path: [UInt8]

  /// The path for a message.
  var shown: String { String(decoding: path, as: UTF8.self) }

  /// What follows the last slash of the path.
  var lastComponent: [UInt8] {
    Array(path[((path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...])
  }

  var reference: ObjectReference { ObjectReference(file: file, kind: kind) }
}

extension Reached: ObjectNaming {
  func appendObjectName(to output: inout ByteBuffer) throws(Errno) {
    output.append(name.span)
  }

  func appendLastComponent(to output: inout ByteBuffer) throws(Errno) {
    let start = name.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    output.append(name.span.extracting(start..<name.count))
  }
}
