import TestSupport
import Testing

/// A bucket directory that is not mounted, with objects in it, and the built program to work on it.
struct BucketFolder {
  /// The folder that holds the bucket.
  let outside: Path
  /// The bucket's directory.
  var bucket: Path { outside / "bucket" }

  /// Makes a bucket with `images/forest.jpg`, `images/a.js` and `index.html`, and calls `body` with it.
  static func with(_ body: (BucketFolder) throws -> Void) throws {
    try TemporaryDirectory.with { outside in
      let folder = BucketFolder(outside: outside)
      try folder.bucket.makeFolder()
      try (folder.bucket / ".bucketfs").makeFolder(mode: 0o700)
      try (folder.bucket / "images").makeFolder()
      try (folder.bucket / "images/forest.jpg").write("forest")
      try (folder.bucket / "images/a.js").write("let a = 1\n")
      try (folder.bucket / "index.html").write("<h1>Hello</h1>")
      try body(folder)
    }
  }

  /// Runs `bucketfs` in the folder that holds the bucket.
  @discardableResult
  func run(_ arguments: String..., input: String = "") throws -> Outcome {
    try Shell.run([MountedBucket.executable] + arguments, in: outside, input: Array(input.utf8))
  }

  /// The same, which must succeed without a word on standard error. Returns the lines of its output.
  @discardableResult
  func lines(
    _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    let outcome = try Shell.run([MountedBucket.executable] + arguments, in: outside, input: Array(input.utf8))
    #expect(outcome.isClean, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
    return outcome.lines
  }

  /// Expects a failure of that status with one line that mentions each word.
  func expectRefusal(
    _ arguments: String..., status: Int32 = 1, mentioning words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try Shell.run([MountedBucket.executable] + arguments, in: outside)
    #expect(outcome.status == status, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
    #expect(outcome.errors.hasPrefix("bucketfs: "), "\(arguments): \(outcome)", sourceLocation: sourceLocation)
    #expect(
      outcome.errors.split(separator: "\n").count == 1, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
    for word in words {
      #expect(outcome.errors.contains(word), "\(word): \(outcome)", sourceLocation: sourceLocation)
    }
  }
}
