import BucketStorage
import Foundation

/// Repeats one operation of the library and says how long each took.
///
/// `library-bench DIRECTORY WORK SECONDS` prints the microseconds of one `get` (getMetadata of `one.html`), `turn`
/// (getMetadata of `turn/0.html` to `turn/4095.html` in turn, more than are remembered), `update` (updateMetadata of
/// `one.html`), or of one `list` (listAll of the folder `many`).
@main
enum LibraryBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seconds = Double(arguments[3]) else {
      print("usage: library-bench DIRECTORY get|turn|update|list SECONDS")
      exit(2)
    }
    let storage = Storage(directory: URL(fileURLWithPath: arguments[1], isDirectory: true))
    let object = storage.reference(withPath: "one.html")
    switch arguments[2] {
    case "get":
      try await repeated(seconds) { _ in _ = try await object.getMetadata() }
    case "turn":
      let objects = (0..<4096).map { storage.reference(withPath: "turn/\($0).html") }
      // Their digests are computed once.
      for object in objects { _ = try await object.getMetadata() }
      try await repeated(seconds) { number in _ = try await objects[number % objects.count].getMetadata() }
    case "update":
      try await repeated(seconds) { number in
        let metadata = StorageMetadata()
        metadata.contentType = number % 2 == 0 ? "text/html" : "text/plain"
        try await object.updateMetadata(metadata)
      }
    case "list":
      let folder = storage.reference(withPath: "many")
      try await repeated(seconds) { _ in _ = try await folder.listAll() }
    default: exit(2)
    }
  }

  /// Calls `body` with 0, 1, 2 … for the time given, and prints the microseconds for each.
  private static func repeated(_ seconds: Double, _ body: @Sendable (Int) async throws -> Void) async throws {
    let clock = ContinuousClock()
    try await body(0)
    let start = clock.now
    var count = 0
    repeat {
      try await body(count)
      count += 1
    } while clock.now - start < .seconds(seconds)
    let taken = clock.now - start
    let microseconds = Double(taken.components.seconds) * 1e6 + Double(taken.components.attoseconds) / 1e12
    print(String(format: "%.3f", microseconds / Double(count)))
  }
}
