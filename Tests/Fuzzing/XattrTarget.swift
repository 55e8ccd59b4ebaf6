import Bucket
import BucketFileSystem
import CTestSupport
import SystemCalls

/// Names and values of xattrs through the property table, over real files: each call succeeds or gives an errno that is
/// documented, what was set is read back, what was refused has changed nothing. Plain xattrs and records that other
/// programs left there are among what an input can do.
struct XattrTarget: FuzzTarget {
  private let directory: [UInt8]
  private let store: BucketStore
  private let hasher: ContentHasher
  private let mediaTypes = MediaTypes(systemPath: Array("/nonexistent".utf8))

  init() throws {
    let folder = Tree.workspace()
    directory = folder
    store = try BucketStore.open(folder.span, name: Array("bucket".utf8), readOnly: false)
    hasher = try ContentHasher(threads: 0)
  }

  func run(_ bytes: [UInt8]) {
    var input = Input(bytes)
    for name in Tree.names(directory) where !name.elementsEqual(".bucketfs".utf8) {
      Tree.remove(directory + "/".utf8 + name)
    }
    Tree.write(path("forest.jpg"), Array("hello world".utf8))
    Tree.write(path("empty"), [])
    Tree.makeFolder(path("folder"))
    let choice = input.byte()
    var options = XattrOptions()
    if choice & 1 != 0 { options.names = .headers }
    if choice & 2 != 0 { options.foreign = .keep }
    if choice & 4 != 0 { options.verifyMD5 = true }
    if choice & 8 != 0 { options.list = .all }
    let view = XattrView(store: store, mediaTypes: mediaTypes, hasher: hasher, options: options)
    let objects = [
      XattrObject(view, path("forest.jpg"), .object), XattrObject(view, path("empty"), .object),
      XattrObject(view, path("folder"), .folder), XattrObject(view, directory, .rootFolder),
    ]
    for _ in 0..<24 where !input.isEmpty {
      let step = input.byte()
      let object = objects[Int(step & 3)]
      switch step >> 2 & 7 {
      case 0, 1: object.set(name(&input), value(&input), flags: Int32(input.byte()))
      case 2: object.set(name(&input), input.longBytes(), flags: 0)
      case 3: object.remove(name(&input))
      case 4: object.list()
      case 5: object.plant(name(&input), value(&input))
      case 6: object.plant(Array("user.bucketfs".utf8), input.longBytes())
      default: object.get(name(&input))
      }
    }
    objects[3].clear()
  }

  private func path(_ name: String) -> [UInt8] { directory + "/\(name)".utf8 }

  /// A name that there is, or any other. None holds a NUL: the system call's does not.
  private func name(_ input: inout Input) -> [UInt8] {
    let choice = Int(input.byte())
    if choice < Self.names.count { return Array(Self.names[choice].utf8) }
    let prefix = choice & 1 == 0 ? "user." : choice & 2 == 0 ? "user.customMetadata." : ""
    return Array((prefix.utf8 + input.shortBytes()).filter { $0 != 0 }.prefix(255))
  }

  /// Few bytes, or one byte as often as two more say.
  private func value(_ input: inout Input) -> [UInt8] {
    let count = input.byte()
    if count < 250 { return input.bytes(Int(count)) }
    let byte = input.byte()
    return [UInt8](repeating: byte, count: Int(input.number(UInt16.self)))
  }

  private static let names = [
    "user.bucket", "user.generation", "user.metageneration", "user.fullPath", "user.name", "user.size",
    "user.timeCreated", "user.updated", "user.md5Hash", "user.cacheControl", "user.contentDisposition",
    "user.contentEncoding", "user.contentLanguage", "user.contentType", "user.customMetadata", "user.bucketfs",
    "user.bucketfs.json", "user.bucketfs.update", "user.bucketfs.status", "user.content-type", "user.mime_type",
    "security.selinux", "security.capability", "trusted.x", "user.", "user.customMetadata.", "user.a",
    "user.customMetadata.a", "user.customMetadata.size", "user.b", "nothing",
  ]
}
