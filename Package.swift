// swift-tools-version: 6.1
import PackageDescription

/// Settings that every Swift target of the package shares.
///
/// The fault plan in `SystemCalls` exists in debug builds only, so that the release daemon carries no test seam.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Spans as results: the compiler checks that none outlives the buffer that it was taken from.
  .enableExperimentalFeature("Lifetimes"),
  .define("FAULT_INJECTION", .when(configuration: .debug)),
]

/// The settings of the tests, whose helpers are imported whole.
let tests: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .define("FAULT_INJECTION", .when(configuration: .debug)),
]

let package = Package(
  name: "bucketfs",
  products: [
    .library(name: "BucketStorage", targets: ["BucketStorage"]),
    .executable(name: "bucketfs", targets: ["bucketfs"]),
  ],
  targets: [
    // C libraries of the system, by their Debian package.
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CURing", pkgConfig: "liburing", providers: [.apt(["liburing-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // From the kernel upwards; a target knows only those above it.
    .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CRing", dependencies: ["CURing"]),
    .target(name: "SystemCalls", dependencies: ["CLinux"], swiftSettings: common),
    .target(name: "Bucket", dependencies: ["SystemCalls", "CCrypto", "CJansson", "CZlib"], swiftSettings: common),
    .target(name: "BucketFileSystem", dependencies: ["Bucket", "SystemCalls"], swiftSettings: common),
    .target(
      name: "FUSESession", dependencies: ["BucketFileSystem", "Bucket", "SystemCalls", "CFuse", "CLinux", "CRing"],
      swiftSettings: common),
    .target(name: "BucketStorage", dependencies: ["Bucket", "SystemCalls"], swiftSettings: common),
    .executableTarget(
      name: "bucketfs",
      dependencies: ["FUSESession", "BucketFileSystem", "Bucket", "SystemCalls", "CLinux"],
      swiftSettings: common),

    // Tests: one target for each module, and those on a real mount.
    .target(name: "CTestSupport", path: "Tests/CTestSupport", cSettings: [.define("_GNU_SOURCE")]),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", "SystemCalls"], path: "Tests/TestSupport",
      swiftSettings: tests),
    .target(name: "CAllocations", path: "Tests/CAllocations"),
    .testTarget(
      name: "BucketFileSystemTests",
      dependencies: ["BucketFileSystem", "Bucket", "SystemCalls", "TestSupport", "CAllocations"], swiftSettings: tests),
    .testTarget(
      name: "FUSESessionTests",
      dependencies: [
        "FUSESession", "BucketFileSystem", "Bucket", "SystemCalls", "TestSupport", "CTestSupport", "CAllocations",
      ],
      swiftSettings: tests),
    // A process that changes metadata, to be killed, raced and failed.
    .executableTarget(
      name: "store-worker", dependencies: ["Bucket", "SystemCalls"], path: "Tests/StoreWorker", swiftSettings: tests),
    .testTarget(
      name: "BucketTests", dependencies: ["Bucket", "SystemCalls", "TestSupport", "store-worker"],
      swiftSettings: tests),
    .testTarget(
      name: "CommandTests", dependencies: ["TestSupport", "CTestSupport", "SystemCalls"], swiftSettings: tests),
    .testTarget(
      name: "BucketStorageTests",
      dependencies: ["BucketStorage", "Bucket", "SystemCalls", "TestSupport", "CTestSupport"], swiftSettings: tests),
    // The library's part of the benchmark.
    .executableTarget(
      name: "library-bench", dependencies: ["BucketStorage"], path: "scripts/bench-library", swiftSettings: common),
    .executableTarget(name: "posix-table", path: "Tests/PosixTable", cSettings: [.define("_GNU_SOURCE")]),
    // What kills daemons and cuts the power, for scripts/crash and the tests.
    .executableTarget(name: "crash-tool", path: "scripts/crash-tool", cSettings: [.define("_GNU_SOURCE")]),
    .testTarget(
      name: "MountTests",
      dependencies: ["TestSupport", "CTestSupport", "Bucket", "SystemCalls", "posix-table", "crash-tool"],
      swiftSettings: tests),
  ]
)

// The fuzzers alone, for `scripts/fuzz`: with them every module is instrumented, and the command is a module that can be
// imported.
if Context.environment["BUCKETFS_FUZZ"] != nil {
  package.products = []
  package.targets.removeAll { $0.name == "bucketfs" || $0.type == .test }
  package.targets += [
    .target(
      name: "bucketfs",
      dependencies: ["FUSESession", "BucketFileSystem", "Bucket", "SystemCalls", "CLinux"],
      exclude: ["main.swift"], swiftSettings: common),
    .executableTarget(
      name: "fuzz",
      dependencies: ["bucketfs", "FUSESession", "BucketFileSystem", "Bucket", "SystemCalls", "CTestSupport"],
      path: "Tests/Fuzzing", exclude: ["Corpus", "Dictionaries"],
      swiftSettings: tests + [.unsafeFlags(["-parse-as-library"])]),
  ]
}
