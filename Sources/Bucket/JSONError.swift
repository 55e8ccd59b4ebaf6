/// Why text is not the JSON that was asked for.
package enum JSONError: Error, Hashable, Sendable {
  /// No JSON object: malformed, nested too deep, a member twice, a NUL or a lone surrogate in a string.
  case malformed
}
