import SystemCalls
import TestSupport
import Testing

@testable import Bucket

/// A bucket in a directory of its own, and its objects by name.
struct TestBucket {
  let path: Path
  let store: BucketStore

  /// Makes a bucket, calls `body` with it, and removes it.
  static func with<Result>(_ body: (TestBucket) throws -> Result) throws -> Result {
    try TemporaryDirectory.with { try body(TestBucket(at: $0)) }
  }

  init(at path: Path, readOnly: Bool = false) throws {
    self.path = path
    store = try BucketStore.open(path.bytes.span, readOnly: readOnly)
  }

  /// Makes an object, and opens it as the daemon does, with O_PATH.
  func make(_ name: Path, _ content: String = "hello world") throws -> Object {
    try (path / name).write(content)
    return try object(name)
  }

  func object(_ name: Path) throws -> Object {
    let path = path / name
    return Object(
      store: store, path: path, owner: try System.open(path.bytes.span, in: .workingDirectory, [.path, .noFollow]))
  }
}

/// An object of a `TestBucket`.
final class Object: Sendable {
  let store: BucketStore
  let path: Path
  private let owner: OwnedDescriptor

  init(store: BucketStore, path: Path, owner: consuming OwnedDescriptor) {
    self.store = store
    self.path = path
    self.owner = owner
  }

  var descriptor: Descriptor { owner.descriptor }

  /// The stored record alone, nil where there is none.
  func record() throws -> Record? {
    var buffer = ByteBuffer(capacity: BucketStore.bufferCapacity)
    guard let view = try store.record(of: descriptor, into: &buffer) else { return nil }
    return Record(view, in: buffer.span)
  }

  /// All that shows.
  func metadata(content: ContentState = .closed) throws -> Record {
    try store.metadata(of: descriptor, content: content)
  }

  func version() throws -> ObjectVersion {
    var buffer = ByteBuffer(capacity: BucketStore.bufferCapacity)
    let view = try store.record(of: descriptor, into: &buffer)
    return ObjectVersion(status: try System.status(of: descriptor), record: view)
  }

  func change(content: ContentState = .closed, _ body: (inout Record) -> Void) throws {
    try store.change(descriptor, content: content) { record, _ in
      body(&record)
      return true
    }
  }

  func set(_ property: StoredProperty, _ value: String) throws {
    try change { $0[property] = .value(Array(value.utf8)) }
  }

  func set(_ key: String, _ value: String) throws {
    try change { $0.setCustom(CustomEntry(key: Array(key.utf8), value: Array(value.utf8))) }
  }

  func remove(_ key: String) throws {
    let key = Array(key.utf8)
    try change { $0.removeCustom(key.span) }
  }

  func value(_ key: String) throws -> String? {
    let key = Array(key.utf8)
    return try metadata().customValue(key.span).map { String(decoding: $0, as: UTF8.self) }
  }

  func value(_ property: StoredProperty, content: ContentState = .closed) throws -> String? {
    try metadata(content: content).value(property).map { String(decoding: $0, as: UTF8.self) }
  }

  // What others see and do: the backing file's own xattrs.

  func setPlain(_ name: String, _ value: String) throws {
    try setPlain(name, bytes: Array(value.utf8))
  }

  func setPlain(_ name: String, bytes: [UInt8]) throws {
    let name = Array(name.utf8)
    try System.setXattr(name.span, of: descriptor, to: bytes.span)
  }

  func plain(_ name: String) throws -> [UInt8]? {
    guard try plainNames().contains(name) else { return nil }
    let name = Array(name.utf8)
    var buffer = ByteBuffer(capacity: 65536)
    try buffer.fill { memory throws(Errno) in try System.getXattr(name.span, of: descriptor, into: memory) }
    return buffer.span.array
  }

  func plainNames() throws -> [String] {
    var buffer = ByteBuffer(capacity: 65536)
    try buffer.fill { memory throws(Errno) in try System.listXattrs(of: descriptor, into: memory) }
    return buffer.span.array.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0.hasPrefix("user.") }.sorted()
  }
}
