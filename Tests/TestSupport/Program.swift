import CTestSupport
import SystemCalls

/// A started program: its pid, its output so far, its end.
package final class Program {
  package let pid: pid_t
  private let output: Int32
  private let errors: Int32
  private let ended: Int32
  private var status: Int32?

  /// Starts a program, found by PATH, as `caller`, in a process group of its own; nil is whoever runs the test.
  ///
  /// Its input is `input`. Its environment is the test's with a fixed locale and `environment`.
  package init(
    _ arguments: [String], as caller: Caller? = nil, in directory: Path? = nil, input: [UInt8] = [],
    environment extra: [String: String] = [:]
  ) throws(Errno) {
    output = try check { test_memfd_create("output") }
    errors = try check { test_memfd_create("errors") }
    let source = try check { test_memfd_create("input") }
    defer { close(source) }
    if !input.isEmpty {
      try check { write(source, input, input.count) }
      lseek(source, 0, SEEK_SET)
    }

    var environment = Self.environment
    environment["LC_ALL"] = "C.UTF-8"
    environment["TZ"] = "UTC"
    environment.merge(extra) { $1 }
    let argumentsC = arguments.map { strdup($0) } + [nil]
    let environmentC = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argumentsC + environmentC).forEach { free($0) } }
    let directoryC = directory.map { $0.withCString { strdup($0)! } }
    defer { free(directoryC) }

    let spawn = { [output, errors] (identity: UnsafePointer<test_identity>?) in
      test_spawn(
        argumentsC.map { UnsafePointer($0) }, environmentC.map { UnsafePointer($0) }, directoryC, identity, source,
        output, errors)
    }
    let child: pid_t
    if let caller {
      child = caller.withIdentity { identity in spawn(&identity) }
    } else {
      child = spawn(nil)
    }
    pid = try check { child }
    ended = try check { test_pidfd_open(child) }
  }

  deinit {
    // Its whole group: what it started must not outlive the test either.
    if status == nil {
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    for number in [output, errors, ended] { close(number) }
  }

  /// Waits for the end. Returns the exit status, 128 plus the number of a signal, or nil if it still runs after
  /// `seconds`.
  package func wait(seconds: Double) -> Int32? {
    if let status { return status }
    var event = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, Int32(seconds * 1000)) == 1 else { return nil }
    var word: Int32 = 0
    guard waitpid(pid, &word, 0) == pid else { return nil }
    status = word & 0x7f == 0 ? (word >> 8) & 0xff : 128 + word & 0x7f
    return status
  }

  package func signal(_ number: Int32) {
    if status == nil { kill(pid, number) }
  }

  /// Everything written to standard output so far.
  package var standardOutput: [UInt8] { Self.content(of: output) }
  /// Everything written to standard error so far, as text.
  package var standardError: String { String(decoding: Self.content(of: errors), as: UTF8.self) }

  private static func content(of file: Int32) -> [UInt8] {
    // The position belongs to the program too: it must not move.
    var status = stat()
    fstat(file, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let length = pread(file, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(length, 0)))
  }

  private static var environment: [String: String] {
    var all: [String: String] = [:]
    var next = test_environment()!
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        all[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return all
  }
}
