internal import Bucket
internal import SystemCalls

/// An export of the Firebase Storage emulator that is being read. It may come from anywhere: nothing is read that lies
/// outside its folder, neither by a name that leads out nor through a symlink.
final class ImportFolder {
  /// One object of it.
  struct Object {
    var metadata: EmulatorObject
    /// Where its content is, below the blobs.
    var blob: [UInt8]
    /// Bytes of the content.
    var size: UInt64
  }

  /// A folder that stays open.
  private final class SharedFolder {
    let owner: OwnedDescriptor

    init(_ owner: consuming OwnedDescriptor) { self.owner = owner }
  }

  /// Sorted by their names.
  private(set) var objects: [Object] = []
  private var problems: [String] = []
  private let blobs: SharedFolder?

  /// Reads all metadata. What is no metadata is noted as a problem.
  init(_ folder: Argument) throws(Command.Failure) {
    let place: [UInt8]
    let storage: OwnedDescriptor
    do throws(Errno) {
      let opened = try System.open(folder.bytes.span, in: .workingDirectory, [.path, .directory])
      place = Self.storage(in: opened.descriptor)
      storage = try System.open(path: place.span, beneath: opened.descriptor, [.path, .directory])
    } catch {
      throw .failed("'\(folder.text)' is no export: it has no firebase-export-metadata.json and no storage_export")
    }
    // An emulator without objects writes neither.
    blobs = Self.part("blobs", of: storage.descriptor)
    guard let metadata = Self.part("metadata", of: storage.descriptor) else { return }
    let path = folder.bytes + [UInt8(ascii: "/")] + place + "/metadata".utf8
    let start = Reached(file: metadata.owner.descriptor, kind: .folder, name: [], path: path)
    try ObjectWalk.run(from: start) { file in
      guard file.kind == .object, file.path.suffix(5).elementsEqual(".json".utf8) else { return }
      self.read(file, below: path.count + 1)
    }
    withExtendedLifetime(metadata) {}
    objects.sort { $0.metadata.entry.name.lexicographicallyPrecedes($1.metadata.entry.name) }
  }

  /// The path of the folder with the storage's part, which the export's own metadata names.
  private static func storage(in folder: Descriptor) -> [UInt8] {
    if let description = Files.regular(Array("firebase-export-metadata.json".utf8), beneath: folder),
      let bytes = try? Files.content(of: description.file.descriptor),
      let members = try? JSONValue.members(of: bytes.span, depth: 2),
      case .object(let storage)? = members.first(where: { $0.key.elementsEqual("storage".utf8) })?.value,
      case .string(let path)? = storage.first(where: { $0.key.elementsEqual("path".utf8) })?.value
    {
      return slashed(path)
    }
    return Array("storage_export".utf8)
  }

  private static func part(_ name: StaticString, of storage: Descriptor) -> SharedFolder? {
    guard let folder = try? System.open(path: name.bytes, beneath: storage, [.path, .directory]) else { return nil }
    return SharedFolder(folder)
  }

  private static func slashed(_ path: [UInt8]) -> [UInt8] {
    path.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
  }

  private func read(_ file: Reached, below: Int) {
    let shown = file.path.displayed
    do throws(StoredEntry.LineError) {
      guard let bytes = try? Files.content(of: file.file) else {
        throw StoredEntry.LineError(what: "it cannot be read")
      }
      let object = try EmulatorObject(json: bytes)
      let place = Array(file.path[below...].dropLast(5))
      let candidates = [place, Self.decoded(place), Self.slashed(place)]
      for candidate in candidates {
        guard let blob = blob(candidate) else { continue }
        objects.append(Object(metadata: object, blob: candidate, size: blob.size))
        return
      }
      throw StoredEntry.LineError(what: "its content is not among the blobs")
    } catch {
      problems.append("'\(shown)': \(error.what)")
    }
  }

  private func blob(_ path: [UInt8]) -> Files.Regular? {
    guard let blobs else { return nil }
    return Files.regular(path, beneath: blobs.owner.descriptor)
  }

  /// The content of an object. Throws ENOENT where it has gone meanwhile.
  func content(of object: Object) throws(Errno) -> Files.Regular {
    guard let blob = blob(object.blob) else { throw .noSuchFileOrDirectory }
    return blob
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
  func choose(bucket: [UInt8], isRequired: Bool) throws(Command.Failure) {
    let buckets = Set(objects.map(\.metadata.bucket))
    if buckets.contains(bucket) {
      objects.removeAll { $0.metadata.bucket != bucket }
    } else if buckets.count > 1 || isRequired && !buckets.isEmpty {
      let names = buckets.map { "'\($0.displayed)'" }.sorted().joined(separator: ", ")
      throw .failed("the export has the buckets \(names): choose one with --from")
    }
  }

  /// Returns what cannot be stored, and leaves it out: objects, or values of objects.
  func check() -> [String] {
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
      if let wanted = object.metadata.size, wanted != object.size {
        reason = "its content has \(object.size) bytes instead of \(wanted)"
      }
      if let reason { found.append("'\(name.displayed)': \(reason)") } else { kept.append(object) }
    }
    objects = kept
    return found
  }
}
