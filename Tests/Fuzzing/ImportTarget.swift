import SystemCalls
@testable import bucketfs

/// The import of an emulator's export, any files in it and symlinks too, into a bucket that has symlinks to elsewhere:
/// it writes nothing outside the bucket, brings in nothing from outside the export, and leaves no half object.
struct ImportTarget: FuzzTarget {
  private let place = Tree.workspace()
  private let secret = Array("what nobody may take from here".utf8)

  private var export: [UInt8] { place + "/export".utf8 }
  private var bucket: [UInt8] { place + "/bucket".utf8 }
  private var outside: [UInt8] { place + "/outside".utf8 }

  func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    Tree.empty(place)
    for folder in [export, bucket, outside, outside + "/folder".utf8] { Tree.makeFolder(folder) }
    Tree.write(outside + "/secret".utf8, secret)
    Tree.makeFolder(export + "/storage_export".utf8)
    let choice = input.byte()
    for _ in 0..<32 where !input.isEmpty { take(&input) }
    let (exported, around) = (Tree.state(export), Tree.state(outside))

    var words = ["bucketfs", "import", "--format", "firebase-emulator"]
    if choice & 1 != 0 { words.append("--lenient") }
    if choice & 2 != 0 { words += ["--from", "b"] }
    let paths = [Argument(bytes: export), Argument(bytes: bucket)]
    let status = Command.run(words.map { Argument(bytes: Array($0.utf8)) } + paths)

    demand((0...2).contains(status), "the import's status is \(status)")
    demand(Tree.state(export) == exported, "the import has changed the export")
    demand(Tree.state(outside) == around, "the import has changed what is outside the bucket")
    demand(Tree.names(place).count == 3, "the import has made something outside the bucket")
    check(bucket)
  }

  private func check(_ folder: [UInt8]) {
    for name in Tree.names(folder) {
      let path = folder + "/".utf8 + name
      demand(!name.starts(with: ".bucketfs-import".utf8), "the import has left half an object")
      if Tree.isFolder(path) {
        check(path)
      } else {
        demand(Tree.read(path) != secret, "the import has brought in what is outside the export")
      }
    }
  }

  /// Puts one file where the input says.
  private func take(_ input: inout Input) {
    let kind = input.byte() & 7
    var path = Self.path(input.shortBytes())
    let content = input.longBytes()
    switch kind {
    case 0, 1: path = export + "/storage_export/metadata/".utf8 + path + ".json".utf8
    case 2: path = export + "/storage_export/blobs/".utf8 + path
    case 3: path = export + "/firebase-export-metadata.json".utf8
    case 4, 5: path = export + "/".utf8 + path
    default: path = bucket + "/".utf8 + path
    }
    // Through no symlink that an earlier file was.
    guard !Self.crossesLink(path, below: place.count) else { return }
    Tree.makeFolders(above: path)
    switch kind {
    case 5, 6: Tree.link(path, to: content.filter { $0 != 0 })
    default: Tree.write(path, content)
    }
  }

  /// The path without what would lead out of its folder.
  private static func path(_ bytes: [UInt8]) -> [UInt8] {
    let parts = bytes.filter { $0 != 0 }.split(separator: UInt8(ascii: "/"))
      .filter { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
    return Array(parts.joined(separator: "/".utf8))
  }

  private static func crossesLink(_ path: [UInt8], below start: Int) -> Bool {
    for (index, byte) in path.enumerated() where byte == UInt8(ascii: "/") && index > start {
      if Tree.isLink(Array(path[..<index])) { return true }
    }
    return Tree.isLink(path)
  }
}
