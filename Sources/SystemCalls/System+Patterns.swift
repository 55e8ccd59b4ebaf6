internal import Glibc

/// Patterns of text as bytes, by the C library.
extension System {
  /// fnmatch(3): whether the whole of `text` matches the shell pattern `glob`; `*` matches slashes too. False where
  /// either holds a NUL.
  package static func matches(_ glob: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
    let answer = try? withCString(glob) { glob throws(Errno) in
      try withCString(text) { text throws(Errno) in fnmatch(glob, text, 0) == 0 }
    }
    return answer ?? false
  }

  /// Whether the descriptor is a terminal, isatty(3).
  package static func isTerminal(_ descriptor: Descriptor) -> Bool {
    isatty(descriptor.rawValue) == 1
  }
}

/// A POSIX extended regular expression over bytes, regex(3).
package final class RegularExpression: @unchecked Sendable {
  /// Not changed by matching.
  private let compiled: UnsafeMutablePointer<regex_t>

  /// Nil where `pattern` is none.
  package init?(_ pattern: Span<UInt8>) {
    let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    compiled.initialize(to: regex_t())
    let made = try? System.withCString(pattern) { text throws(Errno) in
      regcomp(compiled, text, REG_EXTENDED | REG_NOSUB) == 0
    }
    // Before `self` is whole, so that no deinit frees what was not made.
    guard made == true else {
      compiled.deallocate()
      return nil
    }
    self.compiled = compiled
  }

  deinit {
    regfree(compiled)
    compiled.deallocate()
  }

  /// Whether it is found anywhere in `text`, up to the first NUL there.
  package func isFound(in text: Span<UInt8>) -> Bool {
    let found = try? System.withCString(text) { text throws(Errno) in regexec(compiled, text, 0, nil, 0) == 0 }
    return found ?? false
  }
}
