package import SystemCalls

/// Objects by name. No symlink is ever followed, so that no name leads out of the bucket.
extension BucketStore {
  /// Bytes of the longest path that is resolved in one call: what a page holds with a NUL.
  private static var longestPath: Int { 4095 }

  /// Opens the object of that name with O_PATH. Not for reading, although its xattrs would then be reached in half the
  /// time: closing such a descriptor drops the record locks that the process holds on the file, and who watches the file
  /// or has a lease on it is disturbed.
  package func open(_ path: ObjectPath) throws(ObjectError) -> OwnedDescriptor {
    var status: FileStatus?
    return try open(path, noting: &status)
  }

  /// The same, with the status that it had once it was open.
  package func open(_ path: ObjectPath, noting status: inout FileStatus?) throws(ObjectError) -> OwnedDescriptor {
    try refuseIfNoObject(path)
    let file: OwnedDescriptor
    do throws(Errno) {
      file = try resolve(path.bytes.span, [.path, .noFollow])
    } catch {
      throw ObjectError(finding: error)
    }
    let found = try self.status(ofFound: file.descriptor)
    guard found.isRegular else { throw .notFound }
    status = found
    return file
  }

  /// The same; nil where `isKnown` says of what has the name, by its status, that it need not be opened.
  package func open(
    _ path: ObjectPath, unless isKnown: (FileStatus) -> Bool
  ) throws(ObjectError) -> OwnedDescriptor? {
    try refuseIfNoObject(path)
    let opened: OwnedDescriptor?
    do throws(Errno) {
      let bytes = path.bytes.span
      if let slash = path.lastSlash {
        let folder = try resolve(bytes.extracting(..<slash), [.path, .directory, .noFollow])
        opened = try openObject(bytes.extracting((slash + 1)...), in: folder.descriptor, unless: isKnown)
      } else {
        opened = try openObject(bytes, in: root, unless: isKnown)
      }
    } catch {
      throw ObjectError(finding: error)
    }
    guard let file = opened else { return nil }
    guard try status(ofFound: file.descriptor).isRegular else { throw .notFound }
    return file
  }

  private func openObject(
    _ name: Span<UInt8>, in folder: Descriptor, unless isKnown: (FileStatus) -> Bool
  ) throws(Errno) -> OwnedDescriptor? {
    if isKnown(try System.status(of: name, in: folder)) { return nil }
    return try System.open(name, in: folder, [.path, .noFollow])
  }

  /// Throws for a path that can be no object's.
  private func refuseIfNoObject(_ path: ObjectPath) throws(ObjectError) {
    let refusal: ObjectPath.Refusal? = path.isRoot ? .isRoot : path.refusal
    if let refusal { throw .path(refusal) }
    if path.isPrivate { throw .notFound }
  }

  /// Opens the folder of that name for reading its names.
  package func openFolder(_ path: ObjectPath) throws(ObjectError) -> OwnedDescriptor {
    if let refusal = path.refusal { throw .path(refusal) }
    if path.isPrivate { throw .notFound }
    do throws(Errno) {
      // With a position of its own, which the root's descriptor would share.
      if path.isRoot { return try System.open([UInt8(ascii: ".")].span, in: root, [.readOnly, .directory]) }
      return try resolve(path.bytes.span, [.readOnly, .directory, .noFollow])
    } catch {
      throw ObjectError(finding: error)
    }
  }

  /// Opens what has that name, in one call where the kernel takes the path whole.
  private func resolve(_ bytes: Span<UInt8>, _ flags: OpenFlags) throws(Errno) -> OwnedDescriptor {
    guard bytes.count > Self.longestPath else { return try System.open(path: bytes, beneath: root, flags) }
    var start = 0
    var folder = try System.duplicate(root)
    while bytes.count - start > Self.longestPath {
      // As many components as fit.
      var end = start + Self.longestPath
      while end > start, bytes[end] != UInt8(ascii: "/") { end -= 1 }
      guard end > start else { throw .fileNameTooLong }
      folder = try System.open(
        path: bytes.extracting(start..<end), beneath: folder.descriptor, [.path, .directory, .noFollow])
      start = end + 1
    }
    return try System.open(path: bytes.extracting(start..<bytes.count), beneath: folder.descriptor, flags)
  }

  /// statx of an object that was found.
  func status(ofFound object: Descriptor) throws(ObjectError) -> FileStatus {
    do throws(Errno) {
      return try System.status(of: object)
    } catch {
      throw .system(error)
    }
  }

  /// Removes the object of that name, with its metadata; folders stay. If `generation` is given, only an object that has
  /// it.
  package func remove(_ path: ObjectPath, ifGeneration generation: UInt64? = nil) throws(ObjectError) {
    if isReadOnly { throw .store(.readOnlyBucket) }
    let file = try open(path)
    let folder = try openFolder(path.parent ?? .root)
    guard let generation else { return try unlink(path.lastComponent, in: folder.descriptor) }
    try withObject(file.descriptor, orElse: ObjectError.store) { () throws(ObjectError) in
      guard try stands(file.descriptor, at: path.lastComponent, in: folder.descriptor),
        try version(of: file.descriptor).generation == generation
      else { throw .generationMismatch }
      try unlink(path.lastComponent, in: folder.descriptor)
    }
  }

  private func unlink(_ name: [UInt8], in folder: Descriptor) throws(ObjectError) {
    do throws(Errno) {
      try System.unlink(name.span, in: folder)
    } catch {
      throw ObjectError(finding: error)
    }
  }

  /// Whether `name` is that very file.
  func stands(_ file: Descriptor, at name: [UInt8], in folder: Descriptor) throws(ObjectError) -> Bool {
    do throws(Errno) {
      let named = try System.status(of: name.span, in: folder)
      let status = try System.status(of: file)
      return (named.device, named.inode) == (status.device, status.inode)
    } catch .noSuchFileOrDirectory {
      return false
    } catch {
      throw .system(error)
    }
  }

  /// The object's version as it is now.
  func version(of object: Descriptor) throws(ObjectError) -> ObjectVersion {
    do throws(StoreError) {
      return try withBuffer { buffer throws(StoreError) in
        try current(of: object, content: .closed, &buffer).version
      }
    } catch {
      throw .store(error)
    }
  }
}

extension ObjectError {
  /// What an errno of looking for a name means.
  init(finding error: Errno) {
    switch error {
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .isDirectory: self = .notFound
    case .fileNameTooLong: self = .path(.tooLong)
    default: self = .system(error)
    }
  }
}
