/// Why a value cannot be stored. Each is found before anything is written.
package enum ValueError: Error, Hashable, Sendable {
  /// A fixed property takes no empty value: removing it is another call.
  case empty
  /// More bytes than the limit.
  case tooLong(limit: Int)
  /// Not valid UTF-8.
  case notUTF8
  /// Holds a control character, which no HTTP header can carry.
  case controlCharacter
  /// Not what the property's rule says.
  case malformed(ValueRule)
}
