import CTestSupport

/// How much a test may do: a run before each change is small, `scripts/test --all` is not.
package enum Effort {
  /// Whether BUCKETFS_TEST_LARGE asks for the big form of the tests that have one.
  package static var isThorough: Bool { getenv("BUCKETFS_TEST_LARGE") != nil }
}
