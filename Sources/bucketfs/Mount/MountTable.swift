internal import SystemCalls

/// The mounts that this process sees.
enum MountTable {
  struct Mount {
    /// The mountpoint, as the kernel writes it.
    var place: String
    /// The filesystem's type with its subtype.
    var type: String
    /// What is mounted: of a bucket, its directory.
    var source: [UInt8]
    /// `MAJOR:MINOR` of the device.
    var device: String
  }

  /// The latest mount at `path`, which may be dead. Source: proc_pid_mountinfo(5).
  static func mount(at path: String) -> Mount? {
    let wanted = resolve(path)
    return mounts().last { $0.place == wanted }
  }

  /// The name of the filesystem at `path`.
  static func typeOfFileSystem(at path: String) -> String? {
    let real = resolve(path)
    return mounts().filter { $0.place == "/" || real == $0.place || real.hasPrefix($0.place + "/") }
      .enumerated().max { ($0.element.place.count, $0.offset) < ($1.element.place.count, $1.offset) }?.element.type
  }

  /// The path without symlinks, as far as it can be told: of a dead mount only its folder can be looked at.
  private static func resolve(_ path: String) -> String {
    if let real = System.realPath(path) { return real }
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else {
      return (System.realPath(".") ?? "") + "/" + trimmed
    }
    let folder = trimmed[..<slash].isEmpty ? "/" : String(trimmed[..<slash])
    let real = System.realPath(folder) ?? folder
    return (real == "/" ? "" : real) + trimmed[slash...]
  }

  /// All of them, the latest last.
  static func mounts() -> [Mount] {
    guard let text = try? System.readWholeFile("/proc/self/mountinfo") else { return [] }
    return mounts(in: text)
  }

  /// Those of a mountinfo that was read.
  static func mounts(in text: [UInt8]) -> [Mount] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard fields.count > 6, let dash = fields.firstIndex(of: [UInt8(ascii: "-")]), dash + 2 < fields.count
      else { return nil }
      return Mount(
        place: String(decoding: unescaped(fields[4]), as: UTF8.self),
        type: String(decoding: fields[dash + 1], as: UTF8.self), source: unescaped(fields[dash + 2]),
        device: String(decoding: fields[2], as: UTF8.self))
    }
  }

  /// The kernel writes blanks, newlines and backslashes as octal numbers.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.count >= 3,
        let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
