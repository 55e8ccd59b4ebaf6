import CTestSupport
import SystemCalls
import Testing

/// What a program left behind.
package struct Outcome: Sendable, CustomStringConvertible {
  /// The exit status, or 128 plus the number of the signal that ended it.
  package var status: Int32
  package var output: [UInt8]
  package var errors: String

  /// Standard output as text, without newlines at its end, as `$(…)` gives it.
  package var text: String {
    var bytes = output[...]
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Standard output line by line.
  package var lines: [String] {
    text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Status 0 and nothing on standard error.
  package var isClean: Bool { status == 0 && errors.isEmpty }

  package var description: String { "status \(status), output \"\(text)\", errors \"\(errors)\"" }
}

/// Runs real programs, as people do.
package enum Shell {
  /// Runs a program to its end. One that takes longer than `timeout` seconds is killed and reported.
  package static func run(
    _ arguments: [String], as caller: Caller? = nil, in directory: Path? = nil, input: [UInt8] = [],
    environment: [String: String] = [:], timeout: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws(Errno) -> Outcome {
    let program = try Program(arguments, as: caller, in: directory, input: input, environment: environment)
    var status = program.wait(seconds: timeout)
    if status == nil {
      Issue.record("\(arguments) still runs after \(timeout) seconds", sourceLocation: sourceLocation)
      kill(-program.pid, SIGKILL)
      status = program.wait(seconds: 10)
    }
    return Outcome(status: status ?? 255, output: program.standardOutput, errors: program.standardError)
  }

  /// Runs a script with bash, where the first failing command ends it.
  package static func bash(
    _ script: String, as caller: Caller? = nil, in directory: Path? = nil, timeout: Double = 60,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws(Errno) -> Outcome {
    try run(
      ["bash", "-euo", "pipefail", "-c", script], as: caller, in: directory, timeout: timeout,
      sourceLocation: sourceLocation)
  }

  /// Runs a script that must succeed and say nothing on standard error. Returns what it printed.
  @discardableResult
  package static func expect(
    _ script: String, as caller: Caller? = nil, in directory: Path? = nil, timeout: Double = 60,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws(Errno) -> String {
    let outcome = try bash(script, as: caller, in: directory, timeout: timeout, sourceLocation: sourceLocation)
    #expect(outcome.isClean, "\(script): \(outcome)", sourceLocation: sourceLocation)
    return outcome.text
  }
}
