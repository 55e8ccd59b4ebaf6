package import SystemCalls

/// Knows what an object is called just now, for the properties that follow from its name.
package protocol ObjectNaming: ~Copyable {
  /// Appends the path from the root folder, nothing for that folder itself. ENODATA where no name is left.
  func appendObjectName(to output: inout ByteBuffer) throws(Errno)

  /// Appends the last component of the path. ENODATA where no name is left.
  func appendLastComponent(to output: inout ByteBuffer) throws(Errno)
}
