import CTestSupport
import SystemCalls

/// Something that has extended attributes: a path, or an open file. Errors are the kernel's, exactly.
package protocol Attributed {
  /// getxattr(2) as it is. Returns its result; `buffer` is left as the kernel left it.
  func getAttribute(_ name: [UInt8], into buffer: inout [UInt8]) throws(Errno) -> Int
  /// listxattr(2) as it is.
  func listAttributes(into buffer: inout [UInt8]) throws(Errno) -> Int
  /// setxattr(2).
  func setAttribute(_ name: [UInt8], _ value: [UInt8], flags: Int32) throws(Errno)
  /// removexattr(2).
  func removeAttribute(_ name: [UInt8]) throws(Errno)
}

extension Attributed {
  /// The value of the attribute, fetched as tools do: a size probe, then the read, which must agree.
  package func attributeBytes(_ name: [UInt8]) throws(Errno) -> [UInt8] {
    var buffer: [UInt8] = []
    let size = try getAttribute(name, into: &buffer)
    // One byte more than asked for, so that a probe that was too small shows.
    buffer = [UInt8](repeating: 0, count: size + 1)
    let length = try getAttribute(name, into: &buffer)
    return Array(buffer.prefix(length))
  }

  /// The value of `user.NAME` as text; bytes that are not UTF-8 become U+FFFD.
  package func attribute(_ name: String) throws(Errno) -> String {
    String(decoding: try attributeBytes(Array("user.\(name)".utf8)), as: UTF8.self)
  }

  /// The value of `user.NAME`, nil where the kernel says ENODATA.
  package func attributeIfSet(_ name: String) throws(Errno) -> String? {
    do throws(Errno) {
      return try attribute(name)
    } catch .noData {
      return nil
    }
  }

  /// The answer to a size probe for `user.NAME`.
  package func attributeSize(_ name: String) throws(Errno) -> Int {
    var none: [UInt8] = []
    return try getAttribute(Array("user.\(name)".utf8), into: &none)
  }

  /// Sets `user.NAME`.
  package func set(_ name: String, _ value: String, flags: Int32 = 0) throws(Errno) {
    try setAttribute(Array("user.\(name)".utf8), Array(value.utf8), flags: flags)
  }

  /// Removes `user.NAME`.
  package func remove(_ name: String) throws(Errno) {
    try removeAttribute(Array("user.\(name)".utf8))
  }

  /// The listed names in byte order, as they are.
  package func attributeNames() throws(Errno) -> [String] {
    var buffer: [UInt8] = []
    let size = try listAttributes(into: &buffer)
    buffer = [UInt8](repeating: 0, count: size + 1)
    let length = try listAttributes(into: &buffer)
    guard length > 0 else { return [] }
    return buffer.prefix(length).dropLast()
      .split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
      .sorted()
  }

  /// All listed attributes with their values.
  package func attributes() throws(Errno) -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for name in try attributeNames() { all[name] = try attributeBytes(Array(name.utf8)) }
    return all
  }
}

extension Path: Attributed {
  package func getAttribute(_ name: [UInt8], into buffer: inout [UInt8]) throws(Errno) -> Int {
    let count = buffer.count
    return try withCString { path throws(Errno) in
      try Path(bytes: name).withCString { name throws(Errno) in
        try check { getxattr(path, name, &buffer, count) }
      }
    }
  }

  package func listAttributes(into buffer: inout [UInt8]) throws(Errno) -> Int {
    let count = buffer.count
    return try withCString { path throws(Errno) in
      try check { test_listxattr(path, &buffer, count) }
    }
  }

  package func setAttribute(_ name: [UInt8], _ value: [UInt8], flags: Int32) throws(Errno) {
    try withCString { path throws(Errno) in
      _ = try Path(bytes: name).withCString { name throws(Errno) in
        try check { setxattr(path, name, value, value.count, flags) }
      }
    }
  }

  package func removeAttribute(_ name: [UInt8]) throws(Errno) {
    try withCString { path throws(Errno) in
      _ = try Path(bytes: name).withCString { name throws(Errno) in try check { removexattr(path, name) } }
    }
  }
}

extension OpenFile: Attributed {
  package func getAttribute(_ name: [UInt8], into buffer: inout [UInt8]) throws(Errno) -> Int {
    let count = buffer.count
    return try Path(bytes: name).withCString { name throws(Errno) in
      try check { fgetxattr(number, name, &buffer, count) }
    }
  }

  package func listAttributes(into buffer: inout [UInt8]) throws(Errno) -> Int {
    let count = buffer.count
    return try check { test_flistxattr(number, &buffer, count) }
  }

  package func setAttribute(_ name: [UInt8], _ value: [UInt8], flags: Int32) throws(Errno) {
    _ = try Path(bytes: name).withCString { name throws(Errno) in
      try check { fsetxattr(number, name, value, value.count, flags) }
    }
  }

  package func removeAttribute(_ name: [UInt8]) throws(Errno) {
    _ = try Path(bytes: name).withCString { name throws(Errno) in try check { fremovexattr(number, name) } }
  }
}
