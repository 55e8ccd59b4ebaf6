import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport

/// A name that a test gives an object; nil where none is left.
struct FixedName: ObjectNaming {
  var path: [UInt8]?

  func appendObjectName(to output: inout ByteBuffer) throws(Errno) {
    guard let path else { throw .noData }
    output.append(path.span)
  }

  func appendLastComponent(to output: inout ByteBuffer) throws(Errno) {
    guard let path else { throw .noData }
    let last = path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    output.append(last.span)
  }
}

/// An object as a caller of the xattr system calls sees it.
final class ViewedObject: Attributed {
  let view: XattrView
  /// The backing file.
  let path: Path
  var name: FixedName
  var reference: ObjectReference
  /// The user who asks.
  var user: UInt32 = 0
  /// How often a digest had to be computed.
  private(set) var deferrals = 0
  private let owner: OwnedDescriptor

  init(
    _ view: XattrView, _ path: Path, name: [UInt8], kind: ObjectReference.Kind, _ owner: consuming OwnedDescriptor
  ) {
    self.view = view
    self.path = path
    self.name = FixedName(path: name)
    reference = ObjectReference(file: owner.descriptor, kind: kind)
    self.owner = owner
  }

  func getAttribute(_ name: [UInt8], into buffer: inout [UInt8]) throws(Errno) -> Int {
    var scratch = MetadataScratch()
    var output = ByteBuffer(capacity: 1 << 18)
    let answer = try view.get(
      name.span, of: reference, naming: self.name, user: user, &scratch, into: &output)
    if answer == .deferred {
      deferrals += 1
      guard !buffer.isEmpty else { return MD5Digest.base64Count }
      output.append(base64: try digest().digest)
    }
    return try copy(output, into: &buffer)
  }

  func listAttributes(into buffer: inout [UInt8]) throws(Errno) -> Int {
    var scratch = MetadataScratch()
    var output = ByteBuffer(capacity: 1 << 18)
    try view.list(of: reference, &scratch, into: &output)
    return try copy(output, into: &buffer)
  }

  func setAttribute(_ name: [UInt8], _ value: [UInt8], flags: Int32) throws(Errno) {
    let flags = XattrFlags(rawValue: flags)
    if try view.set(name.span, to: value.span, flags, of: reference) == .needsDigest {
      let change = try view.set(name.span, to: value.span, flags, of: reference, digest: try digest())
      if change == .needsDigest { throw .interrupted }
    }
  }

  func removeAttribute(_ name: [UInt8]) throws(Errno) {
    try view.remove(name.span, of: reference)
  }

  /// The content's digest.
  func digest() throws(Errno) -> ContentDigest {
    do throws(HashError) {
      return try view.reader.hasher.digest(of: reference.file, content: reference.content)
    } catch {
      throw Errno(error)
    }
  }

  /// What the kernel makes of an answer: its length alone where the buffer is empty, ERANGE where it is too small.
  private func copy(_ output: borrowing ByteBuffer, into buffer: inout [UInt8]) throws(Errno) -> Int {
    let bytes = output.span.array
    if buffer.isEmpty { return bytes.count }
    guard bytes.count <= buffer.count else { throw .outOfRange }
    buffer.replaceSubrange(0..<bytes.count, with: bytes)
    return bytes.count
  }
}
