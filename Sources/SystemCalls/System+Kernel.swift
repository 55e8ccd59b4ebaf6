internal import Glibc

/// What the running kernel can do.
extension System {
  /// Whether each change of a file that somebody has looked at gets a time of its own: since Linux 6.13. Before, two
  /// changes within one tick of the clock could leave the same times.
  package static let hasDistinctChangeTimes: Bool = {
    var name = utsname()
    guard uname(&name) == 0 else { return false }
    return withUnsafeBytes(of: &name.release) { release in
      let numbers = release.split(separator: UInt8(ascii: "."), maxSplits: 2)
      guard numbers.count >= 2 else { return false }
      let major = decimal(numbers[0])
      return major > 6 || major == 6 && decimal(numbers[1]) >= 13
    }
  }()

  /// The number at the start of `digits`.
  private static func decimal(_ digits: Slice<UnsafeRawBufferPointer>) -> Int {
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), number < 1000 else { break }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }
}
