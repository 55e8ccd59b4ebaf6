internal import SystemCalls

/// Where contents wait until they are whole.
extension BucketStore {
  /// Begins a content that is to be the object of that name; its folders need not be there yet.
  ///
  /// The file is made in `.bucketfs/tmp`. It is made beside its object, under a name that lists leave out, where that is
  /// on another device, where a new file gets group or ACL from its folder, and for a user who may not write in
  /// `.bucketfs`.
  package func stage(_ path: ObjectPath) throws(ObjectError) -> StagedObject {
    if isReadOnly { throw .store(.readOnlyBucket) }
    if path.isRoot { throw .path(.isRoot) }
    if let refusal = path.refusal { throw .path(refusal) }
    if path.isPrivate { throw .path(.isPrivate) }
    let (folder, isParent) = try nearestFolder(of: path)
    var replaces = false
    if isParent { replaces = try target(path.lastComponent, in: folder.descriptor) != nil }
    // Until it is known who may read the object, the owner alone may.
    let mode: UInt32 = replaces ? 0o600 : 0o666
    do throws(Errno) {
      if replaces || !inherits(from: folder.descriptor), try isOnRootDevice(folder.descriptor) {
        do throws(Errno) {
          return try make(path, in: try self.folder.uploads(), mode: mode)
        } catch .permissionDenied, .notPermitted {
          // Of those who may write in this folder not all may write in the root.
        }
      }
      return try make(path, in: folder, prefix: StagedObject.prefix, mode: mode)
    } catch {
      throw .system(error)
    }
  }

  private func make(
    _ path: ObjectPath, in folder: PrivateFolder.SharedFile, prefix: StaticString = "", mode: UInt32
  ) throws(Errno) -> StagedObject {
    while true {
      let unique = "\(System.processIdentifier).\(System.threadIdentifier).\(Clock.monotonic)"
      let name = prefix.bytes.array + Array(unique.utf8)
      do throws(Errno) {
        let file = try System.open(
          name.span, in: folder.descriptor, [.readWrite, .create, .exclusive, .noFollow], mode: mode)
        return StagedObject(path: path, file: file, folder: folder, name: name)
      } catch .fileExists {}
    }
  }

  /// Whether a file made in `folder` gets its group or an ACL from there.
  private func inherits(from folder: Descriptor) -> Bool {
    if let status = try? System.status(of: folder), status.mode & 0o2000 != 0 { return true }
    let none = ("system.posix_acl_default" as StaticString).bytes
    var buffer = ByteBuffer(capacity: 4096)
    return (try? buffer.fill { memory throws(Errno) in try System.getXattr(none, of: folder, into: memory) }) != nil
  }

  private func isOnRootDevice(_ folder: Descriptor) throws(Errno) -> Bool {
    try System.status(of: folder).device == System.status(of: root).device
  }

  /// The nearest folder above `path` that is there, and whether it is the one that holds it.
  private func nearestFolder(of path: ObjectPath) throws(ObjectError) -> (PrivateFolder.SharedFile, isParent: Bool) {
    var candidate = path.parent ?? .root
    var isParent = true
    while true {
      do throws(ObjectError) {
        return (PrivateFolder.SharedFile(try openFolder(candidate)), isParent)
      } catch .notFound {
        // Nothing, or what cannot hold an object: `makeFolders` tells.
        guard let parent = candidate.parent else { throw .notFound }
        candidate = parent
        isParent = false
      }
    }
  }

  /// Opens what stands at the name with O_PATH if a content may be put in its place; nil where nothing is there.
  func target(_ name: [UInt8], in folder: Descriptor) throws(ObjectError) -> OwnedDescriptor? {
    do throws(Errno) {
      let file = try System.open(name.span, in: folder, [.path, .noFollow])
      guard try System.status(of: file.descriptor).isRegular else { throw .isDirectory }
      // As for writing into it: the folder alone would let anyone replace a file that is not his to write.
      try System.checkWritable(file.descriptor)
      return file
    } catch .noSuchFileOrDirectory {
      return nil
    } catch .isDirectory {
      throw .inTheWay
    } catch {
      throw error == .fileNameTooLong ? .path(.tooLong) : .system(error)
    }
  }
}
