internal import Bucket
internal import SystemCalls

/// An export of the Firebase Storage emulator that is being read.
struct ImportFolder {
  /// One object of it.
  struct Object {
    var metadata: EmulatorObject
    /// The path of its content.
    var blob: [UInt8]
  }

  private let folder: Argument
  /// Sorted by their names.
  private(set) var objects: [Object] = []
  private var problems: [String] = []

  /// Reads all metadata. What is no metadata is noted as a problem.
  init(_ folder: Argument) throws(Command.Failure) {
    self.folder = folder
    let root = Self.storage(in: folder)
    let metadata = root + "/metadata".utf8
    guard let opened = try? System.open(metadata.span, in: .workingDirectory, [.path, .directory]) else {
      // An emulator without objects writes none.
      guard (try? System.status(of: root.span, in: .workingDirectory)) != nil else {
        throw .failed("'\(folder.text)' is no export: it has no firebase-export-metadata.json and no storage_export")
      }
      return
    }
    var files: [[UInt8]] = []
    let start = Reached(file: opened.descriptor, kind: .folder, name: [], path: metadata)
    try ObjectWalk.run(from: start) { file in
      if file.kind == .object, file.path.suffix(5).elementsEqual(".json".utf8) { files.append(file.path) }
    }
    for file in files { read(file, below: metadata.count + 1, blobs: root + "/blobs/".utf8) }
    objects.sort { $0.metadata.entry.name.lexicographicallyPrecedes($1.metadata.entry.name) }
  }

  /// The folder with the storage's part, which the export's own metadata names.
  private static func storage(in folder: Argument) -> [UInt8] {
    let description = folder.bytes + "/firebase-export-metadata.json".utf8
    if let bytes = try? System.readWholeFile(description),
      let members = try? JSONValue.members(of: bytes.span, depth: 2),
      case .object(let storage)? = members.first(where: { $0.key.elementsEqual("storage".utf8) })?.value,
      case .string(let path)? = storage.first(where: { $0.key.elementsEqual("path".utf8) })?.value
    {
      return folder.bytes + [UInt8(ascii: "/")] + path.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    }
    return folder.bytes + "/storage_export".utf8
  }

  private mutating func read(_ file: [UInt8], below: Int, blobs: [UInt8]) {
    let shown = file.displayed
    do throws(StoredEntry.LineError) {
      guard let bytes = try? System.readWholeFile(file) else { throw StoredEntry.LineError(what: "it cannot be read") }
      let object = try EmulatorObject(json: bytes)
      let place = Array(file[below...].dropLast(5))
      let candidates = [place, Self.decoded(place), place.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }]
      let blob = candidates.map { blobs + $0 }.first { path in
        (try? System.status(of: path.span, in: .workingDirectory))?.isRegular == true
      }
      guard let blob else { throw StoredEntry.LineError(what: "its content is not among the blobs") }
      objects.append(Object(metadata: object, blob: blob))
    } catch {
      problems.append("'\(shown)': \(error.what)")
    }
  }

  /// What decodeURIComponent makes of a name.
  private static func decoded(_ name: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < name.count {
      if name[index] == UInt8(ascii: "%"), index + 2 < name.count,
        let byte = UInt8(String(decoding: name[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(name[index])
        index += 1
      }
    }
    return result
  }

  /// Keeps the objects of one bucket: that of the name, or the only one that there is.
  mutating func choose(bucket: [UInt8], isRequired: Bool) throws(Command.Failure) {
    let buckets = Set(objects.map(\.metadata.bucket))
    if buckets.contains(bucket) {
      objects.removeAll { $0.metadata.bucket != bucket }
    } else if buckets.count > 1 || isRequired && !buckets.isEmpty {
      let names = buckets.map { "'\($0.displayed)'" }.sorted().joined(separator: ", ")
      throw .failed("the export has the buckets \(names): choose one with --from")
    }
  }

  /// Returns what cannot be stored, and leaves it out: objects, or values of objects.
  mutating func check() -> [String] {
    var found = problems
    let names = Set(objects.map(\.metadata.entry.name))
    var kept: [Object] = []
    for object in objects {
      let name = object.metadata.entry.name
      for problem in object.metadata.problems { found.append("'\(name.displayed)': \(problem)") }
      var reason = EmulatorObject.problem(ofName: name)
      for (index, byte) in name.enumerated() where byte == UInt8(ascii: "/") {
        let above = Array(name[..<index])
        if names.contains(above) { reason = "'\(above.displayed)' is an object too, and cannot be a folder" }
      }
      let size = (try? System.status(of: object.blob.span, in: .workingDirectory))?.size
      if let wanted = object.metadata.size, wanted != size {
        reason = "its content has \(size ?? 0) bytes instead of \(wanted)"
      }
      if let reason { found.append("'\(name.displayed)': \(reason)") } else { kept.append(object) }
    }
    objects = kept
    return found
  }
}
