import Bucket
import BucketFileSystem
import SystemCalls
import TestSupport
import Testing

/// A bucket in a directory of its own, and the view of its objects' xattrs.
final class ViewFixture {
  let directory: Path
  let store: BucketStore
  let view: XattrView

  static func with<Result>(
    _ options: XattrOptions = XattrOptions(), readOnly: Bool = false, _ body: (ViewFixture) throws -> Result
  ) throws -> Result {
    try TemporaryDirectory.with { try body(ViewFixture($0, options, readOnly: readOnly)) }
  }

  init(_ directory: Path, _ options: XattrOptions = XattrOptions(), readOnly: Bool = false) throws {
    self.directory = directory
    store = try BucketStore.open(directory.bytes.span, name: Array("bucket".utf8), readOnly: readOnly)
    view = XattrView(
      store: store, mediaTypes: MediaTypes(systemPath: Array("/nonexistent".utf8)),
      hasher: try ContentHasher(threads: 0), options: options, status: { $0.append("all well") })
  }

  /// Makes a file and opens it as the daemon does.
  func make(_ name: String, _ content: String = "hello world") throws -> ViewedObject {
    try (directory / Path(name)).write(content)
    return try open(name)
  }

  /// Makes a folder and opens it.
  func makeFolder(_ name: String) throws -> ViewedObject {
    try (directory / Path(name)).makeFolder()
    return try open(name, kind: .folder)
  }

  /// The root folder.
  func root() throws -> ViewedObject {
    try open("", kind: .rootFolder)
  }

  /// Opens what is there.
  func open(_ name: String, kind: ObjectReference.Kind = .object) throws -> ViewedObject {
    let path = name.isEmpty ? directory : directory / Path(name)
    return ViewedObject(
      view, path, name: Array(name.utf8), kind: kind,
      try System.open(path.bytes.span, in: .workingDirectory, [.path, .noFollow]))
  }
}
