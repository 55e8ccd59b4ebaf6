import CTestSupport

/// How much a test may do: a run before each change is small, `scripts/test --all` is not.
package enum Effort {
  /// Whether BUCKETFS_TEST_LARGE asks for the big form of the tests that have one.
  package static var isThorough: Bool { getenv("BUCKETFS_TEST_LARGE") != nil }

  /// The sanitizer that scripts/test built with, nil for none.
  package static let sanitizer = getenv("BUCKETFS_TEST_SANITIZER").map { String(cString: $0) }
  /// Whether there is one: memory that is reserved, and memory that was freed, then say nothing of the program's own.
  package static var isSanitized: Bool { sanitizer != nil }
}
