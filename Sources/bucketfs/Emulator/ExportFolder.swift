internal import Bucket
internal import SystemCalls

/// The folder of an export of the Firebase Storage emulator that is being written.
struct ExportFolder {
  private let folder: Argument

  init(_ folder: Argument) {
    self.folder = folder
  }

  private var blobs: [UInt8] { path("storage_export/blobs") }
  private var metadata: [UInt8] { path("storage_export/metadata") }

  private func path(_ name: String) -> [UInt8] { folder.bytes + "/\(name)".utf8 }

  /// Makes the folders and what stands in them before the objects.
  func begin(bucket: [UInt8]) throws(Command.Failure) {
    do throws(Errno) {
      try Files.makeFolders(folder.bytes)
      let opened = try System.open(folder.bytes.span, in: .workingDirectory, [.path, .directory])
      guard try BucketWalk.entries(of: opened.descriptor).isEmpty else { throw .directoryNotEmpty }
      try Files.makeFolders(blobs)
      try Files.makeFolders(metadata)
      let id = JSONText.string(String(decoding: bucket, as: UTF8.self))
      try Files.write(Array("{\"buckets\":[{\"id\":\(id)}]}\n".utf8), to: path("storage_export/buckets.json"))
    } catch {
      throw .failed("cannot export to '\(folder.text)': \(error)")
    }
  }

  /// Writes an object's content and metadata, which `writer` has but for what follows from the content.
  func write(_ object: Reached, _ writer: inout JSONWriter) throws(AccessError) {
    let name = Self.name(of: object.name)
    do throws(Errno) {
      let blob = try Files.make(blobs + [UInt8(ascii: "/")] + name)
      let (size, checksum) = try Files.copy(object.file, to: blob.descriptor)
      writer.set(("size" as StaticString).bytes, to: size)
      let digits = Array(String(checksum).utf8)
      writer.set(("crc32c" as StaticString).bytes, to: digits.span)
      try Files.write(writer.text + [UInt8(ascii: "\n")], to: metadata + [UInt8(ascii: "/")] + name + ".json".utf8)
    } catch {
      throw .system(error)
    }
  }

  /// Writes what makes it an export: last, so that one that was interrupted is none.
  func finish() throws(Command.Failure) {
    let text = """
      {"version":"\(Command.version)","storage":{"version":"\(Command.version)","path":"storage_export"}}

      """
    do throws(Errno) {
      try Files.write(Array(text.utf8), to: path("firebase-export-metadata.json"))
    } catch {
      throw .failed("cannot export to '\(folder.text)': \(error)")
    }
  }

  /// A file name for the object that stays the same, of characters that encodeURIComponent leaves alone: other bytes
  /// as ~ and two digits. A long one is cut and has the name's SHA-256 behind it.
  static func name(of object: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var name: [UInt8] = []
    for byte in object {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.append(byte)
      case UInt8(ascii: ".") where !name.isEmpty: name.append(byte)
      default: name += [UInt8(ascii: "~"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return name.count <= 200 ? name : name.prefix(100) + [UInt8(ascii: "~")] + SHA256Digest.hex(of: object.span)
  }
}

extension JSONWriter {
  /// The object's text.
  var text: [UInt8] {
    var output = ByteBuffer(capacity: 1 << 18)
    append(to: &output)
    return output.array
  }
}
