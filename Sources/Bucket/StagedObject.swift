package import SystemCalls

/// A content on its way to becoming an object: a file that nobody sees as one, removed unless it is published.
package struct StagedObject: ~Copyable, Sendable {
  /// What the file's name begins with where it lies beside its object, in a folder of the bucket.
  static let prefix: StaticString = ".bucketfs-upload."

  /// The object that it is to be.
  let path: ObjectPath
  /// The file, open for reading and writing.
  let file: OwnedDescriptor
  /// Where the file is.
  let folder: PrivateFolder.SharedFile
  /// Its name there.
  let name: [UInt8]
  /// Bytes written.
  package private(set) var size: UInt64 = 0
  /// Whether it has another name now.
  private var isPublished = false

  init(path: ObjectPath, file: consuming OwnedDescriptor, folder: PrivateFolder.SharedFile, name: [UInt8]) {
    self.path = path
    self.file = file
    self.folder = folder
    self.name = name
  }

  deinit {
    guard !isPublished else { return }
    let name = name
    try? System.unlink(name.span, in: folder.descriptor)
  }

  /// The file.
  package var descriptor: Descriptor { file.descriptor }

  /// Adds `bytes` to the content.
  package mutating func append(_ bytes: Span<UInt8>) throws(ObjectError) {
    do throws(Errno) {
      try System.writeAll(file.descriptor, bytes)
    } catch {
      throw .system(error)
    }
    size += UInt64(bytes.count)
  }

  /// Notes that the file is the object's now.
  mutating func notePublished() {
    isPublished = true
  }
}
