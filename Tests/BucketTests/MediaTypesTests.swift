import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("A content type that was never set")
struct MediaTypesTests {
  private static let bundled = MediaTypes(systemPath: Array("/nonexistent".utf8))

  private func type(of name: String, _ types: MediaTypes = bundled) -> String {
    let bytes = Array(name.utf8)
    return appended { types.append(typeOf: bytes.span, to: &$0) }
  }

  @Test("follows the extension, of which the bundled table has at least 250")
  func count() {
    #expect(MediaTypes.bundledCount >= 250)
  }

  @Test("has each extension of the bundled table once, and a valid media type for it")
  func bundledTable() {
    var seen: Set<String> = []
    for line in String(decoding: MediaTypes.bundledText, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      for fileExtension in words.dropFirst() {
        #expect(seen.insert(fileExtension).inserted, "\(fileExtension) is there twice")
        #expect(type(of: "a.\(fileExtension)") == words[0])
        #expect(type(of: "a.\(fileExtension.uppercased())") == words[0])
      }
    }
    #expect(seen.count == MediaTypes.bundledCount)
  }

  @Test(
    "is what a web server says of the file",
    arguments: [
      ("index.html", "text/html"), ("style.css", "text/css"), ("app.js", "text/javascript"),
      ("data.json", "application/json"),
      ("a.wasm", "application/wasm"), ("forest.jpg", "image/jpeg"), ("forest.jpeg", "image/jpeg"),
      ("a.png", "image/png"),
      ("a.gif", "image/gif"), ("a.svg", "image/svg+xml"), ("a.webp", "image/webp"), ("a.avif", "image/avif"),
      ("favicon.ico", "image/vnd.microsoft.icon"), ("a.mp3", "audio/mpeg"), ("a.flac", "audio/flac"),
      ("a.mp4", "video/mp4"),
      ("a.webm", "video/webm"), ("a.mov", "video/quicktime"), ("a.woff2", "font/woff2"), ("a.ttf", "font/ttf"),
      ("a.zip", "application/zip"), ("a.7z", "application/x-7z-compressed"), ("a.pdf", "application/pdf"),
      ("a.txt", "text/plain"),
      ("a.csv", "text/csv"), ("a.md", "text/markdown"), ("a.xml", "application/xml"), ("a.swift", "text/x-swift"),
      ("a.c", "text/x-csrc"), ("a.py", "text/x-python"),
      ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ])
  func bundledTypes(_ name: String, _ expected: String) {
    #expect(type(of: name) == expected)
  }

  @Test("does not depend on the case of letters", arguments: ["a.JPG", "a.Jpg", "A.jPG", "x.y.JPG"])
  func caseOfLetters(_ name: String) {
    #expect(type(of: name) == "image/jpeg")
  }

  @Test("follows the last of several extensions", arguments: ["x.tar.gz", "x.TAR.GZ", "x.jpg.gz", ".x.gz", "..gz"])
  func doubleExtension(_ name: String) {
    #expect(type(of: name) == "application/gzip")
  }

  @Test(
    "is application/octet-stream where there is no extension or none that is known",
    arguments: [
      "", "a", "Makefile", ".jpg", ".html", "a.", ".", "..", "jpg", "a.jpg.", "a.unknown-extension", "a.jpg ", "a.é",
    ])
  func unknown(_ name: String) {
    #expect(type(of: name) == "application/octet-stream")
  }

  @Test("comes from the machine's file where the bundled table has none, and follows when that is read again")
  func system() throws {
    try TemporaryDirectory.with { directory in
      let file = directory / "mime.types"
      try file.write(
        "# comment\nx/Odd\toddext  other\nimage/odd jpg\nnonsense zzz\ny/late oddext # zz\n\nlast/one lastext")
      let types = MediaTypes(systemPath: file.bytes)
      #expect(type(of: "a.oddext", types) == "x/Odd")
      #expect(type(of: "a.ODDEXT", types) == "x/Odd")
      #expect(type(of: "a.other", types) == "x/Odd")
      #expect(type(of: "a.lastext", types) == "last/one")
      #expect(type(of: "a.jpg", types) == "image/jpeg")
      #expect(type(of: "a.zzz", types) == "application/octet-stream")
      #expect(type(of: "a.zz", types) == "application/octet-stream")
      try file.write("z/new oddext\n")
      #expect(type(of: "a.oddext", types) == "x/Odd")
      types.reload()
      #expect(type(of: "a.oddext", types) == "z/new")
      #expect(type(of: "a.other", types) == "application/octet-stream")
    }
  }
}
