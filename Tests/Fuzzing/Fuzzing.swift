import CTestSupport

/// What a fuzzer does with an input. It ends the process by `demand` where the product did what it must not.
protocol FuzzTarget {
  init() throws
  func run(_ input: [UInt8])
}

/// The target of this process, which `BUCKETFS_FUZZ_TARGET` names.
private nonisolated(unsafe) var target: (any FuzzTarget)?

/// libFuzzer calls it once, before it turns standard error off.
@_cdecl("LLVMFuzzerInitialize")
func initializeFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
  Finding.prepare()
  do {
    target =
      switch getenv("BUCKETFS_FUZZ_TARGET").map({ String(cString: $0) }) {
      case "codec": try CodecTarget()
      case "xattrs": try XattrTarget()
      case "requests": try RequestTarget()
      case "command": try CommandTarget()
      case "import": ImportTarget()
      case "planted": PlantedTarget()
      default: nil
      }
  } catch {
    demand(false, "the target cannot begin: \(error)")
  }
  demand(target != nil, "BUCKETFS_FUZZ_TARGET names no target")
  return 0
}

/// libFuzzer calls it for each input.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Ends the process with a report where the condition does not hold.
func demand(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { Finding.report(message()) }
}

/// Where findings are said.
enum Finding {
  private nonisolated(unsafe) static var output: Int32 = 2

  /// Keeps standard error: what the product says there is of no interest.
  static func prepare() {
    output = dup(2)
  }

  /// Says what was found, and ends the process.
  static func report(_ message: String) -> Never {
    let line = Array("finding: \(message)\n".utf8)
    _ = write(output, line, line.count)
    abort()
  }
}
