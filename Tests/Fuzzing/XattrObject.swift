import Bucket
import BucketFileSystem
import CTestSupport
import SystemCalls

/// One file or folder of the target for xattrs, with what must hold after each call.
final class XattrObject {
  private let view: XattrView
  private let path: [UInt8]
  private let file: OwnedDescriptor
  private let kind: ObjectReference.Kind
  // Memory that is made once: with the sanitizer it costs more than the calls.
  private nonisolated(unsafe) static var scratch = MetadataScratch()
  private nonisolated(unsafe) static var output = ByteBuffer(capacity: 1 << 18)
  private nonisolated(unsafe) static var attributeNames = ByteBuffer(capacity: 1 << 16)
  private nonisolated(unsafe) static var value = ByteBuffer(capacity: 1 << 16)
  /// Whether something stands in the backing file's xattrs that bucketfs did not write.
  private var isPlanted = false

  init(_ view: XattrView, _ path: [UInt8], _ kind: ObjectReference.Kind) {
    self.view = view
    self.path = path
    self.kind = kind
    do throws(Errno) {
      file = try System.open(path.span, in: .workingDirectory, [.path, .noFollow])
    } catch {
      Finding.report("a file cannot be opened: \(error)")
    }
  }

  private var reference: ObjectReference { ObjectReference(file: file.descriptor, kind: kind) }

  /// setxattr of the mount.
  func set(_ name: [UInt8], _ value: [UInt8], flags: Int32) {
    let before = stored
    if let refusal = trySet(name, value, flags: flags & 3) {
      checkErrno(refusal, "setting", name)
      demand(stored == before, "a refused change has changed what is stored: \(shown(name))")
      return
    }
    checkValue(name, value)
  }

  private func trySet(_ name: [UInt8], _ value: [UInt8], flags: Int32) -> Errno? {
    do throws(Errno) {
      let flags = XattrFlags(rawValue: flags)
      guard try view.set(name.span, to: value.span, flags, of: reference) == .needsDigest else { return nil }
      demand(view.options.verifyMD5, "a digest was wanted that nobody verifies")
      let digest: ContentDigest
      do throws(HashError) {
        digest = try view.reader.hasher.digest(of: file.descriptor, content: .closed)
      } catch {
        throw Errno(error)
      }
      let change = try view.set(name.span, to: value.span, flags, of: reference, digest: digest)
      demand(change == .done, "a digest was wanted twice")
      return nil
    } catch {
      return error
    }
  }

  /// What was set must be what is read.
  private func checkValue(_ name: [UInt8], _ value: [UInt8]) {
    switch AttributeName(name.span, view.options.names) {
    case .property(let property) where property.isWritable:
      demand(read(name) == .success(value), "\(shown(name)) is not what it was set to")
    case .property(let property):
      demand(view.options.foreign == .keep, "\(property.name) was set, which is read-only")
    case .custom:
      demand(read(name) == .success(value), "\(shown(name)) is not what it was set to")
      let key = Array(name[(AttributeName.keyStart(name))...])
      var listed = ByteBuffer(capacity: 512)
      AttributeName.appendListed(key: key.span, view.options.names, to: &listed)
      let wanted = listed.span.array.dropLast()
      demand(names().contains(Array(wanted)), "\(shown(name)) was set and is not listed")
    case .customMetadata:
      guard case .success(let json?) = read(name) else {
        // An empty object is no entry at all.
        return demand((try? JSONValue.members(of: value.span, depth: 1))?.isEmpty == true, "entries were lost")
      }
      demand(
        trySet(name, json, flags: 0) == nil && read(name) == .success(json), "entries change by being written back")
    case .update: break
    case .json, .status, .reserved, .emptyKey, .security, .unsupported:
      demand(false, "\(shown(name)) was set, which nobody may")
    }
  }

  /// removexattr of the mount.
  func remove(_ name: [UInt8]) {
    let before = stored
    do throws(Errno) {
      try view.remove(name.span, of: reference)
    } catch {
      checkErrno(error, "removing", name)
      demand(stored == before, "a refused removal has changed what is stored: \(shown(name))")
      return
    }
    switch (AttributeName(name.span, view.options.names), read(name)) {
    case (_, .failure(.noData)): break
    case (.property(let property), .success(let left)) where property.stored == .md5Hash:
      // To be computed, or known already where it was verified before.
      demand(left == nil || left == digest, "an md5Hash is there after it was removed that is not the content's")
    default: demand(false, "\(shown(name)) is there after it was removed")
    }
  }

  /// The content's digest, as md5Hash has it.
  private var digest: [UInt8]? {
    do throws(HashError) {
      var text = ByteBuffer(capacity: MD5Digest.base64Count)
      text.append(base64: try view.reader.hasher.digest(of: file.descriptor, content: .closed).digest)
      return text.span.array
    } catch {
      return nil
    }
  }

  /// getxattr of the mount.
  func get(_ name: [UInt8]) {
    guard case .failure(let refusal) = read(name) else { return }
    checkErrno(refusal, "reading", name)
  }

  /// listxattr of the mount: what it lists can be read, and may be set to what it is.
  func list() {
    let before = read(Array("user.customMetadata".utf8))
    for name in names() {
      switch read(name) {
      case .success(let value?):
        guard view.options.list == .stored else { continue }
        let refusal = trySet(name, value, flags: 0)
        if refusal == nil { continue }
        let isOverLimit = refusal == .argumentListTooLong || refusal == .noSpace
        demand(isPlanted && isOverLimit, "\(shown(name)) is listed and cannot be set to its value: \(refusal!)")
      case .success(nil): demand(false, "an md5Hash is listed that was not set")
      case .failure(let refusal): demand(false, "\(shown(name)) is listed and cannot be read: \(refusal)")
      }
    }
    demand(read(Array("user.customMetadata".utf8)) == before, "writing each entry back has changed them")
    if case .success(let json?) = read(Array("user.bucketfs.json".utf8)) {
      demand((try? JSONValue.members(of: json.span, depth: 2)) != nil, "user.bucketfs.json is no JSON object")
    }
  }

  /// What another program does to the backing file.
  func plant(_ name: [UInt8], _ value: [UInt8]) {
    guard name.starts(with: "user.".utf8), name.count > 5 else { return }
    if (try? System.setXattr(name.span, of: file.descriptor, to: value.span)) != nil { isPlanted = true }
  }

  /// Takes everything away again.
  func clear() {
    for name in stored.keys where name.starts(with: "user.".utf8) {
      try? System.removeXattr(name.span, of: file.descriptor)
    }
  }

  /// The names that are listed; none where the record is unusable.
  private func names() -> [[UInt8]] {
    Self.output.removeAll()
    do throws(Errno) {
      try view.list(of: reference, &Self.scratch, into: &Self.output)
    } catch {
      checkErrno(error, "listing", [])
      return []
    }
    let list = Self.output.span.array
    demand(list.isEmpty || list.last == 0, "a list does not end in a NUL")
    let names = list.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    demand(
      Set(names).count == names.count && (list.isEmpty || !names.contains([])), "a list holds a name twice or none")
    return list.isEmpty ? [] : names
  }

  /// A value; nil in it for one that has to be computed.
  private func read(_ name: [UInt8]) -> Result<[UInt8]?, Errno> {
    Self.output.removeAll()
    do throws(Errno) {
      let naming = FixedName(kind: kind)
      let answer = try view.get(name.span, of: reference, naming: naming, user: 0, &Self.scratch, into: &Self.output)
      return .success(answer == .deferred ? nil : Self.output.span.array)
    } catch {
      return .failure(error)
    }
  }

  private static let documented: Set<Errno> = [
    .notPermitted, .noData, .fileExists, .invalidArgument, .argumentListTooLong, .noSpace, .notSupported, .canceled,
    .badMessage,
  ]

  private func checkErrno(_ errno: Errno, _ action: String, _ name: [UInt8]) {
    if errno == .ioError, isPlanted { return }
    demand(Self.documented.contains(errno), "\(action) \(shown(name)) gives \(errno)")
  }

  private func shown(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

  /// All xattrs of the backing file.
  private var stored: [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    do throws(Errno) {
      try Self.attributeNames.fill { memory throws(Errno) in try System.listXattrs(of: file.descriptor, into: memory) }
      for name in Self.attributeNames.span.array.split(separator: 0).map(Array.init) {
        try Self.value.fill { memory throws(Errno) in try System.getXattr(name.span, of: file.descriptor, into: memory)
        }
        found[name] = Self.value.span.array
      }
    } catch {
      demand(false, "the backing file's xattrs cannot be read: \(error)")
    }
    return found
  }
}

/// The names of the target's files, of which only the extension counts.
private struct FixedName: ObjectNaming {
  let kind: ObjectReference.Kind

  func appendObjectName(to output: inout ByteBuffer) throws(Errno) {
    if kind != .rootFolder { output.append("photos/forest.jpg") }
  }

  func appendLastComponent(to output: inout ByteBuffer) throws(Errno) {
    if kind != .rootFolder { output.append("forest.jpg") }
  }
}

extension AttributeName {
  /// Where the key of a custom entry begins in its xattr's name.
  fileprivate static func keyStart(_ name: [UInt8]) -> Int {
    if case .custom(let range) = AttributeName(name.span) { range.lowerBound } else { name.count }
  }
}
