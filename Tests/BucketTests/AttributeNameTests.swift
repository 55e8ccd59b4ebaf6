import SystemCalls
import Testing

@testable import Bucket

@Suite("The name of an xattr")
struct AttributeNameTests {
  /// What a name stands for, in words.
  private func meaning(_ name: String, _ names: PropertyNames = .properties) -> String {
    let bytes = Array(name.utf8)
    switch AttributeName(bytes.span, names) {
    case .property(let property): return "property \(property.name)"
    case .custom(let key): return "custom \(String(decoding: bytes[key], as: UTF8.self))"
    case .customMetadata: return "customMetadata"
    case .json: return "json"
    case .update: return "update"
    case .status: return "status"
    case .reserved: return "reserved"
    case .emptyKey: return "emptyKey"
    case .security: return "security"
    case .unsupported: return "unsupported"
    }
  }

  @Test("of a property is its own behind user.")
  func properties() {
    for index in Property.table.indices {
      let property = Property.table[index]
      let expected = property.source == .customMetadata ? "customMetadata" : "property \(property.name)"
      #expect(meaning("user.\(property.name)") == expected)
    }
    #expect(Property.table.count == 15)
  }

  @Test(
    "says what it stands for",
    arguments: [
      ("user.location", "custom location"), ("user.xdg.origin.url", "custom xdg.origin.url"),
      ("user.Size", "custom Size"),
      ("user.sizes", "custom sizes"), ("user.content-type", "custom content-type"),
      ("user.bucketfs2", "custom bucketfs2"),
      ("user.customMetadata2", "custom customMetadata2"), ("user..", "custom ."), ("user.é", "custom é"),
      ("user.customMetadata", "customMetadata"), ("user.customMetadata.size", "custom size"),
      ("user.customMetadata.location", "custom location"),
      ("user.customMetadata.customMetadata", "custom customMetadata"),
      ("user.customMetadata.customMetadata.a", "custom customMetadata.a"),
      ("user.customMetadata.bucketfs", "custom bucketfs"),
      ("user.customMetadata.bucketfs.json", "custom bucketfs.json"), ("user.", "emptyKey"),
      ("user.customMetadata.", "emptyKey"),
      ("user.bucketfs", "reserved"), ("user.bucketfs.", "reserved"), ("user.bucketfs.x", "reserved"),
      ("user.bucketfs.jsonx", "reserved"), ("user.bucketfs.json", "json"), ("user.bucketfs.update", "update"),
      ("user.bucketfs.status", "status"), ("user.mime_type", "property contentType"),
      ("security.selinux", "unsupported"),
      ("security.capability", "security"), ("security.", "security"), ("security.ima", "security"),
      ("trusted.x", "unsupported"),
      ("trusted.overlay.opaque", "unsupported"), ("system.x", "unsupported"), ("foo", "unsupported"),
      ("user", "unsupported"),
      ("", "unsupported"), ("User.size", "unsupported"), ("com.apple.x", "unsupported"),
    ])
  func meanings(_ name: String, _ expected: String) {
    #expect(meaning(name) == expected)
  }

  @Test("may be that of an HTTP header")
  func headers() {
    for (name, property) in [
      ("content-type", "contentType"), ("cache-control", "cacheControl"), ("content-disposition", "contentDisposition"),
      ("content-encoding", "contentEncoding"), ("content-language", "contentLanguage"),
    ] {
      #expect(meaning("user.\(name)", .headers) == "property \(property)")
      #expect(meaning("user.\(property)", .headers) == "property \(property)")
      #expect(meaning("user.customMetadata.\(name)", .headers) == "custom \(name)")
    }
    #expect(meaning("user.md5-hash", .headers) == "custom md5-hash")
  }

  /// The name under which the entry `key` is listed, nil for one that is not.
  private func listed(_ key: String, _ names: PropertyNames = .properties) -> String? {
    let bytes = Array(key.utf8)
    let list = appended { AttributeName.appendListed(key: bytes.span, names, to: &$0) }
    return list.isEmpty ? nil : list
  }

  @Test("by which an entry is listed is the plain one, or else the long one, or none")
  func listing() {
    #expect(listed("location") == "user.location\0")
    #expect(listed("size") == "user.customMetadata.size\0")
    #expect(listed("mime_type") == "user.customMetadata.mime_type\0")
    #expect(listed("customMetadata") == "user.customMetadata.customMetadata\0")
    #expect(listed("customMetadata.x") == "user.customMetadata.customMetadata.x\0")
    #expect(listed("bucketfs") == "user.customMetadata.bucketfs\0")
    #expect(listed("bucketfs.x") == "user.customMetadata.bucketfs.x\0")
    #expect(listed("content-type") == "user.content-type\0")
    #expect(listed("content-type", .headers) == "user.customMetadata.content-type\0")
    let plain = String(repeating: "k", count: 250)
    #expect(listed(plain) == "user.\(plain)\0")
    #expect(listed(plain + "k") == nil)
    let long = "bucketfs." + String(repeating: "k", count: 226)
    #expect(listed(long) == "user.customMetadata.\(long)\0")
    #expect(listed(long + "k") == nil)
    #expect(listed("a\0b") == nil)
  }

  @Test(
    "by which an entry is listed stands for that entry again",
    arguments: ["a", "size", "bucketfs.x", "customMetadata.", "."])
  func roundTrip(_ key: String) throws {
    for names in [PropertyNames.properties, .headers] {
      let name = try #require(listed(key, names)).dropLast()
      #expect(meaning(String(name), names) == "custom \(key)")
    }
  }
}
