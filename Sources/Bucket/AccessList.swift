internal import SystemCalls

/// A POSIX ACL in the form in which the kernel hands it out: a version of four bytes, then entries of a tag, rights and
/// an id (acl(5), `posix_acl_xattr.h`).
///
/// Derived from the root folder's, it admits to what bucketfs makes those who may write in the root folder, whether
/// their class or an entry of their own says so.
struct AccessList {
  /// The xattr in which it is.
  static let attribute: StaticString = "system.posix_acl_access"
  /// The xattr with what a folder passes on.
  static let inherited: StaticString = "system.posix_acl_default"

  private static let entrySize = 8
  private static let version: [UInt8] = [2, 0, 0, 0]
  private static let owner: UInt8 = 0x01
  private static let user: UInt8 = 0x02
  private static let owningGroup: UInt8 = 0x04
  private static let group: UInt8 = 0x08
  private static let mask: UInt8 = 0x10

  private let bytes: [UInt8]

  /// An ACL as the kernel gave it; nil where it is of another form.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.version), bytes.count % Self.entrySize == Self.version.count else { return nil }
    self.bytes = bytes
  }

  /// The same entries, each with `rights` where it lets its class write, else with none.
  func admittingWriters(each rights: UInt8) -> [UInt8] {
    let starts = stride(from: Self.version.count, to: bytes.count, by: Self.entrySize)
    let limit = starts.first { bytes[$0] == Self.mask }.map { bytes[$0 + 2] } ?? 7
    var result = bytes
    for start in starts {
      let isLimited = [Self.user, Self.owningGroup, Self.group].contains(bytes[start])
      let mayWrite = bytes[start + 2] & (isLimited ? limit : 7) & 2 != 0
      result[start + 2] = mayWrite || bytes[start] == Self.owner || bytes[start] == Self.mask ? rights : 0
    }
    return result
  }
}
