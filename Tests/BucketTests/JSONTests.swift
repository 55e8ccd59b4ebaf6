import SystemCalls
import Testing

@testable import Bucket

@Suite("JSON of metadata")
struct JSONTests {
  private func patch(_ text: String, onFolder: Bool = false) -> Result<MetadataPatch, MetadataError> {
    patch(Array(text.utf8), onFolder: onFolder)
  }

  private func patch(_ text: [UInt8], onFolder: Bool = false) -> Result<MetadataPatch, MetadataError> {
    do throws(MetadataError) {
      return .success(try MetadataPatch(json: text.span, onFolder: onFolder))
    } catch {
      return .failure(error)
    }
  }

  private func entries(_ text: [UInt8]) -> Result<[CustomEntry], MetadataError> {
    do throws(MetadataError) {
      return .success(try CustomEntry.entries(json: text.span))
    } catch {
      return .failure(error)
    }
  }

  /// What is no JSON object at all.
  static let malformed: [[UInt8]] =
    [
      "", " ", "{", "}", "[]", "null", "true", "1", "\"\"", "{}{}", "{} x", "{\"a\"}", "{\"a\":}", "{a:\"b\"}",
      "{'a':'b'}",
      "{\"a\":\"b\",}", "{\"a\":\"b\" \"c\":\"d\"}", "{\"a\":\"b\",\"a\":\"c\"}", "{\"a\":\"b\",\"\\u0061\":\"c\"}",
      "{\"a\":\"\\u0000\"}", "{\"a\\u0000b\":\"\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00\"}",
      "{\"a\":\"\\ud800x\"}",
      "{\"a\":\"\\ud800\\ud800\"}", "{\"\\udc00\":\"\"}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}",
      "\u{feff}{}", "{\"a\":\"b\"", "// {}", "{\"a\":NaN}", "{\"a\":18446744073709551616}",
      String(repeating: "{\"a\":", count: 100_000), String(repeating: "[", count: 100_000),
      "{\"a\":" + String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000) + "}",
    ].map { Array($0.utf8) } + [
      [0x7b, 0x7d, 0x00], [0x00], Array("{\"a\":\"".utf8) + [0xff] + Array("\"}".utf8),
      Array("{\"a\":\"".utf8) + [0xc0, 0x80] + Array("\"}".utf8), Array("{\"".utf8) + [0xc3] + Array("\":\"\"}".utf8),
      Array("{\"a\":\"".utf8) + [0xed, 0xa0, 0x80] + Array("\"}".utf8), Array("{\"a\":\"b\0\"}".utf8),
    ]

  @Test("is refused where it is malformed", arguments: malformed)
  func hostile(_ text: [UInt8]) {
    #expect(entries(text) == .failure(.malformedJSON))
    #expect(patch(text) == .failure(.malformedJSON))
  }

  @Test(
    "of custom metadata is an object of strings with keys",
    arguments: [
      "{\"a\":1}", "{\"a\":null}", "{\"a\":true}", "{\"a\":[]}", "{\"a\":{}}", "{\"a\":{\"b\":\"c\"}}", "{\"\":\"\"}",
    ])
  func noStrings(_ text: String) {
    #expect(entries(Array(text.utf8)) == .failure(.malformedJSON))
  }

  @Test("of custom metadata has each entry")
  func strings() throws {
    let text = #" { "b" : "Zürich \u2713 \ud83d\ude00" , "a":"", "\u00e9":"\n\"\\\/" } "#
    #expect(
      try entries(Array(text.utf8)).get() == [
        CustomEntry(key: Array("a".utf8), value: []),
        CustomEntry(key: Array("b".utf8), value: Array("Zürich ✓ 😀".utf8)),
        CustomEntry(key: Array("é".utf8), value: Array("\n\"\\/".utf8)),
      ])
    #expect(try entries(Array("{}".utf8)).get().isEmpty)
  }

  @Test("of custom metadata keeps the limits of keys and values")
  func limits() {
    func object(_ key: Int, _ value: Int) -> [UInt8] {
      Array("{\"\(String(repeating: "k", count: key))\":\"\(String(repeating: "v", count: value))\"}".utf8)
    }
    #expect(throws: Never.self) { try entries(object(1024, 4096)).get() }
    #expect(entries(object(1025, 0)) == .failure(.keyTooLong))
    #expect(entries(object(1, 4097)) == .failure(.value(.tooLong(limit: 4096))))
  }

  @Test("of an update is a merge patch of writable properties")
  func mergePatch() throws {
    let text = #"""
      {"contentType":"image/jpeg","cacheControl":null,"customMetadata":{"a":"1","b":null},
       "ifGenerationMatch":"12345678901234567","ifMetagenerationMatch":3}
      """#
    var expected = MetadataPatch()
    expected.properties = [.contentType: Array("image/jpeg".utf8), .cacheControl: nil]
    expected.customMetadata = .merge([Array("a".utf8): Array("1".utf8), Array("b".utf8): nil])
    expected.generation = 12_345_678_901_234_567
    expected.metageneration = 3
    #expect(try patch(text).get() == expected)
    #expect(try patch("{\"customMetadata\":null}").get().customMetadata == .removeAll)
    #expect(try patch("{}").get().isEmpty)
    #expect(try !patch("{\"md5Hash\":null}").get().isEmpty)
    #expect(try patch("{\"ifGenerationMatch\":1e3}").get().generation == 1000)
  }

  @Test(
    "of an update is refused where it is malformed or names what is no property",
    arguments: [
      ("{\"contentType\":1}", .malformedJSON), ("{\"contentType\":{}}", .malformedJSON),
      ("{\"contentType\":[]}", .malformedJSON),
      ("{\"customMetadata\":\"\"}", .malformedJSON), ("{\"customMetadata\":[]}", .malformedJSON),
      ("{\"customMetadata\":{\"a\":1}}", .malformedJSON), ("{\"customMetadata\":{\"a\":{}}}", .malformedJSON),
      ("{\"customMetadata\":{\"\":null}}", .malformedJSON), ("{\"ifGenerationMatch\":-1}", .malformedJSON),
      ("{\"ifGenerationMatch\":1.5}", .malformedJSON), ("{\"ifGenerationMatch\":\"\"}", .malformedJSON),
      ("{\"ifGenerationMatch\":\"1 \"}", .malformedJSON), ("{\"ifGenerationMatch\":\"-1\"}", .malformedJSON),
      ("{\"ifGenerationMatch\":\"18446744073709551616\"}", .malformedJSON),
      ("{\"ifGenerationMatch\":null}", .malformedJSON),
      ("{\"ifMetagenerationMatch\":true}", .malformedJSON), ("{\"contenttype\":\"a/b\"}", .unknownMember),
      ("{\"location\":\"a\"}", .unknownMember), ("{\"\":\"a\"}", .unknownMember),
      ("{\"content-type\":\"a/b\"}", .unknownMember),
    ] as [(String, MetadataError)])
  func refused(_ text: String, _ error: MetadataError) {
    #expect(patch(text) == .failure(error))
  }

  @Test("of an update is judged first by its form, then by what may be written, then by values")
  func order() {
    #expect(patch("{\"contentType\":\"bad\",\"size\":1,\"x\":1}") == .failure(.unknownMember))
    #expect(patch("{\"size\":1,\"contentType\":2}") == .failure(.malformedJSON))
    #expect(patch("{\"contentType\":\"bad\",\"size\":1}") == .failure(.readOnlyProperty))
    #expect(patch("{\"contentType\":\"bad\"}") == .failure(.value(.malformed(.mediaType))))
    #expect(patch("{\"contentType\":\"\"}") == .failure(.value(.empty)))
    #expect(patch("{\"contentType\":\"a/b\"}", onFolder: true) == .failure(.notOnFolders))
    #expect(throws: Never.self) { try patch("{\"customMetadata\":{\"a\":\"b\"}}", onFolder: true).get() }
    for property in ["bucket", "generation", "metageneration", "fullPath", "name", "size", "timeCreated", "updated"] {
      #expect(patch("{\"\(property)\":null}") == .failure(.readOnlyProperty))
    }
  }

  @Test("is printed without spaces, in the order given, with strings that JSON can hold")
  func printing() {
    var inner = JSONWriter()
    set("é\n", to: "\"\\/\u{1}\u{7f}😀", in: &inner)
    set("a", to: "", in: &inner)
    var writer = JSONWriter()
    set("z", to: "1", in: &writer)
    let (object, empty) = (Array("o".utf8), Array("b".utf8))
    writer.set(object.span, to: inner)
    writer.set(empty.span, to: JSONWriter())
    let text = appended { writer.append(to: &$0) }
    #expect(text == "{\"z\":\"1\",\"o\":{\"é\\n\":\"\\\"\\\\/\\u0001\u{7f}😀\",\"a\":\"\"},\"b\":{}}")
  }

  private func set(_ key: String, to value: String, in writer: inout JSONWriter) {
    let (key, value) = (Array(key.utf8), Array(value.utf8))
    writer.set(key.span, to: value.span)
  }
}
