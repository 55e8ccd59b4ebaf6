import Bucket
import BucketFileSystem
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Any sequence of changes")
struct ModelTests {
  /// Random numbers that a seed repeats: SplitMix64.
  private struct Randomness: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
      return mixed ^ mixed >> 31
    }
  }

  /// A new seed each time, or the one in the environment.
  static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["BUCKETFS_SEED"].flatMap { UInt64($0) }.map { [$0] }
    ?? (0..<4).map { _ in UInt64.random(in: 0...UInt64.max) }

  @Test("leaves what the model says, with BUCKETFS_SEED the same again", arguments: seeds)
  func agrees(_ seed: UInt64) throws {
    try ViewFixture.with { bucket in
      var random = Randomness(state: seed)
      var pairs = [
        Pair(try bucket.make("a.html", "content"), MetadataModel(name: "a.html", isFolder: false, content: "content")),
        Pair(try bucket.make("b", ""), MetadataModel(name: "b", isFolder: false)),
        Pair(try bucket.makeFolder("d"), MetadataModel(name: "d", isFolder: true)),
      ]
      for step in 0..<300 {
        let index = Int.random(in: pairs.indices, using: &random)
        let description = try pairs[index].step(&random)
        let differences = try pairs[index].differences()
        #expect(differences == [], "seed \(seed), step \(step): \(description)")
        if !differences.isEmpty { return }
      }
    }
  }

  /// An object and its model.
  private struct Pair {
    let object: ViewedObject
    var model: MetadataModel
    var isRenamed = false

    init(_ object: ViewedObject, _ model: MetadataModel) {
      self.object = object
      self.model = model
    }

    private static let keys =
      [
        "location", "a", "é", "size", "customMetadata", "bucketfs.x", "mime_type", "contentType", "k\u{1}", "long",
      ].map { Array($0.utf8) } + [[0xff, 0x01]]

    private func value(_ random: inout Randomness) -> [UInt8] {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: []
      case 1: [0x61, 0, 0xff]
      case 2: Array(repeating: 0x76, count: Int.random(in: 3000...4097, using: &random))
      case 3: Array("Zürich \"✓\"\n".utf8)
      default: Array("v\(Int.random(in: 0..<1000, using: &random))".utf8)
      }
    }

    private func text(_ random: inout Randomness) -> String {
      let value = value(&random)
      return value.contains(0xff) || value.count > 4096 ? "" : String(decoding: value, as: UTF8.self)
    }

    /// Does one thing to both, which must end alike. Returns what.
    mutating func step(_ random: inout Randomness) throws -> String {
      let flags = [0, 0, 0, 1, 2, 3].randomElement(using: &random)! as Int32
      let property = MetadataModel.properties.randomElement(using: &random)!
      let key = Self.keys.randomElement(using: &random)!
      let keyName = Array("user.customMetadata.".utf8) + key
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1:
        let value = Value.some(of: property).randomElement(using: &random)!
        return expect("set \(property) \(value.prefix(20)) \(flags)", model.set(property, value, flags: flags)) {
          try object.setAttribute(Array("user.\(property)".utf8), value, flags: flags)
        }
      case 2:
        return expect("remove \(property)", model.remove(property)) { try object.remove(property) }
      case 3, 4, 5:
        let value = value(&random)
        return expect("set \(key) \(value.prefix(20)) \(flags)", model.set(key: key, value, flags: flags)) {
          try object.setAttribute(keyName, value, flags: flags)
        }
      case 6:
        return expect("remove \(key)", model.remove(key: key)) { try object.removeAttribute(keyName) }
      case 7:
        if Int.random(in: 0..<3, using: &random) == 0 {
          return expect("remove all", model.setAll(nil, flags: 0)) { try object.remove("customMetadata") }
        }
        var entries: [String: String] = [:]
        for _ in 0..<Int.random(in: 0..<4, using: &random) { entries[textKey(&random)] = text(&random) }
        let json = try JSONSerialization.data(withJSONObject: entries)
        let all = [[UInt8]: [UInt8]](uniqueKeysWithValues: entries.map { (Array($0.utf8), Array($1.utf8)) })
        return expect("set all \(entries.keys) \(flags)", model.setAll(all, flags: flags)) {
          try object.setAttribute(Array("user.customMetadata".utf8), Array(json), flags: flags)
        }
      case 8, 9: return try update(&random)
      case 10: return try plain(key, &random)
      default: return try content(&random)
      }
    }

    private func textKey(_ random: inout Randomness) -> String {
      String(decoding: Self.keys.dropLast().randomElement(using: &random)!, as: UTF8.self)
    }

    private mutating func update(_ random: inout Randomness) throws -> String {
      var patch: [String: Any] = [:]
      var properties: [String: [UInt8]?] = [:]
      var changes: [[UInt8]: [UInt8]?] = [:]
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        let property = MetadataModel.properties.randomElement(using: &random)!
        let value = Value.some(of: property).dropLast().randomElement(using: &random)!
        let isNull = Bool.random(using: &random)
        properties[property] = .some(isNull ? nil : value)
        patch[property] = isNull ? NSNull() : String(decoding: value, as: UTF8.self)
      }
      var entries: [String: Any] = [:]
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        let (key, value) = (textKey(&random), Bool.random(using: &random) ? nil : text(&random))
        changes[Array(key.utf8)] = .some(value.map { Array($0.utf8) })
        entries[key] = value ?? NSNull()
      }
      if !entries.isEmpty { patch["customMetadata"] = entries }
      var wanted: Int?
      if Int.random(in: 0..<3, using: &random) == 0 {
        wanted = model.metageneration + (Bool.random(using: &random) ? 0 : 1)
        patch["ifMetagenerationMatch"] = wanted
      }
      // Of several wrong values any may be the one that is reported.
      let errors = Set(properties.compactMap { $0.value == nil ? nil : Value.errno($0.value!, of: $0.key) })
      if errors.count > 1 { return "nothing" }
      let json = Array(try JSONSerialization.data(withJSONObject: patch))
      let outcome = model.update(properties, changes, metageneration: wanted)
      return expect("update \(String(decoding: json.prefix(200), as: UTF8.self))", outcome) {
        try object.setAttribute(Array("user.bucketfs.update".utf8), json, flags: 0)
      }
    }

    /// Another program sets an xattr on the backing file.
    private mutating func plain(_ key: [UInt8], _ random: inout Randomness) throws -> String {
      let names = ["location", "size", "a", "theirs", "cacheControl"]
      let name = names.randomElement(using: &random)!
      let value = name == "cacheControl" ? Array("their\(Int.random(in: 0..<2, using: &random))".utf8) : Array("t".utf8)
      let total = model.entries.reduce(0) { $0 + $1.key.count + $1.value.count }
      guard total < 8000 else { return "nothing" }
      try object.path.setAttribute(Array("user.\(name)".utf8), value, flags: 0)
      model.plain[Array(name.utf8)] = value
      return "plain \(name)"
    }

    /// The object's content or its name changes, or the descriptor is another one.
    private mutating func content(_ random: inout Randomness) throws -> String {
      if model.isFolder || Bool.random(using: &random) {
        model.name = ["a.html", "b.JPG", "c", ".d", "e.tar.gz"].randomElement(using: &random)!
        object.name.path = Array("folder/\(model.name)".utf8)
        return "rename to \(model.name)"
      }
      let content = model.content + "x"
      try object.path.write(content)
      model.write(content)
      return "write"
    }

    /// Does it to the object, which must end as the model did. Returns what was done.
    private func expect(_ what: String, _ outcome: Errno?, _ body: () throws -> Void) -> String {
      do {
        try body()
        #expect(outcome == nil, "\(what) succeeded; the seed is in the test's argument")
      } catch {
        #expect(error as? Errno == outcome, "\(what); the seed is in the test's argument")
      }
      return what
    }

    /// Where the object is not as the model says.
    func differences() throws -> [String] {
      var differences: [String] = []
      func compare(_ what: String, _ found: [UInt8]?, _ expected: [UInt8]?) {
        if found != expected {
          differences.append(
            "\(what) is \(found.map { String(decoding: $0.prefix(60), as: UTF8.self) } ?? "unset"), not "
              + (expected.map { String(decoding: $0.prefix(60), as: UTF8.self) } ?? "unset"))
        }
      }
      var list: [UInt8] = []
      let size = try object.listAttributes(into: &list)
      list = Array(repeating: 0, count: size)
      if size > 0 { _ = try object.listAttributes(into: &list) }
      let names = list.split(separator: 0).map { Array($0) }
      let (found, expected) = (Set(names), Set(model.names))
      if found != expected || found.count != names.count {
        differences.append(
          "listed are \(names.map { String(decoding: $0, as: UTF8.self) }.sorted()), expected "
            + "\(model.names.map { String(decoding: $0, as: UTF8.self) }.sorted())")
      }
      for key in Self.keys + [Array("theirs".utf8)] {
        compare("entry \(key)", try bytes(Array("user.customMetadata.".utf8) + key), model.entries[key])
      }
      guard !model.isFolder else { return differences }
      for property in MetadataModel.properties where property != "md5Hash" && property != "contentType" {
        compare(property, try bytes(Array("user.\(property)".utf8)), model.visible[property])
      }
      compare("contentType", try bytes(Array("user.contentType".utf8)), model.contentType)
      compare(
        "md5Hash", try bytes(Array("user.md5Hash".utf8)),
        try model.visible["md5Hash"] ?? Array(appended(base64: object.digest().digest).utf8))
      compare("metageneration", try bytes(Array("user.metageneration".utf8)), Array("\(model.metageneration)".utf8))
      compare("customMetadata", try bytes(Array("user.customMetadata".utf8)).map(Self.normalized), model.json)
      return differences
    }

    private func bytes(_ name: [UInt8]) throws -> [UInt8]? {
      do throws(Errno) {
        return try object.attributeBytes(name)
      } catch .noData {
        return nil
      }
    }

    /// The keys of a JSON object in their order and their values, one after the other.
    private static func normalized(_ json: [UInt8]) -> [UInt8] {
      guard let object = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: String] else { return json }
      let sorted = object.map { (Array($0.utf8), Array($1.utf8)) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
      return sorted.flatMap { $0.0 + [0] + $0.1 + [0] }
    }
  }
}

extension MetadataModel {
  fileprivate var contentType: [UInt8]? {
    if let type = visible["contentType"] { return type }
    if typeIsRemoved { return nil }
    let types = ["a.html": "text/html", "b.JPG": "image/jpeg", "e.tar.gz": "application/gzip"]
    return Array((types[name] ?? "application/octet-stream").utf8)
  }

  fileprivate var json: [UInt8]? {
    let entries = textEntries
    return entries.isEmpty ? nil : entries.flatMap { $0.key + [0] + $0.value + [0] }
  }
}

private func appended(base64 digest: MD5Digest) -> String {
  var buffer = ByteBuffer(capacity: MD5Digest.base64Count)
  buffer.append(base64: digest)
  return String(decoding: buffer.span.array, as: UTF8.self)
}
