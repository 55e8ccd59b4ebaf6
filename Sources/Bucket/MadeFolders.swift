internal import SystemCalls

/// Folders that were made for an object, taken away again if the object does not come about.
struct MadeFolders: ~Copyable {
  private let store: BucketStore
  /// Those made, outermost first: where, and under which name.
  private var made: [(folder: PrivateFolder.SharedFile, name: [UInt8])] = []

  init(store: BucketStore) {
    self.store = store
  }

  deinit {
    // One that holds another object by now stays, as rmdir has it.
    for (folder, name) in made.reversed() { try? System.removeDirectory(name.span, in: folder.descriptor) }
  }

  /// Opens the folder of that name, made with those above it where they are not there.
  mutating func open(_ path: ObjectPath) throws(ObjectError) -> OwnedDescriptor {
    do throws(ObjectError) {
      return try store.openFolder(path)
    } catch .notFound {}
    do throws(Errno) {
      var folder = PrivateFolder.SharedFile(try System.duplicate(store.root))
      for component in path.bytes.split(separator: UInt8(ascii: "/")) {
        folder = try enter(Array(component), in: folder)
      }
      return try System.reopen(folder.descriptor, [.readOnly, .directory])
    } catch .notDirectory, .tooManySymbolicLinkLevels {
      throw .inTheWay
    } catch {
      throw error == .fileNameTooLong ? .path(.tooLong) : .system(error)
    }
  }

  private mutating func enter(
    _ name: [UInt8], in folder: PrivateFolder.SharedFile
  ) throws(Errno) -> PrivateFolder.SharedFile {
    let flags: OpenFlags = [.path, .directory, .noFollow]
    do throws(Errno) {
      return PrivateFolder.SharedFile(try System.open(name.span, in: folder.descriptor, flags))
    } catch .noSuchFileOrDirectory {}
    do throws(Errno) {
      try System.makeDirectory(name.span, in: folder.descriptor, mode: 0o777)
      made.append((folder, name))
    } catch .fileExists {}
    return PrivateFolder.SharedFile(try System.open(name.span, in: folder.descriptor, flags))
  }

  /// Keeps them.
  mutating func keep() {
    made = []
  }
}
