package import SystemCalls

/// Why a directory cannot be a bucket.
package enum BucketOpenError: Error, Hashable, Sendable {
  /// It could not be opened.
  case unopenable(Errno)
  /// It is no directory.
  case notDirectory
  /// Its filesystem, of this `f_type`, keeps no `user.*` xattrs.
  case withoutXattrs(fileSystemType: Int)
}

extension BucketStore {
  /// Opens the bucket at `path`, by the name `name`, or else that of the directory.
  ///
  /// Whether its filesystem keeps `user.*` xattrs is tried on the directory itself, by removing one that nobody sets:
  /// that changes nothing. A read-only bucket needs none.
  package static func open(
    _ path: Span<UInt8>, name: [UInt8]? = nil, readOnly: Bool = false
  ) throws(BucketOpenError) -> BucketStore {
    let root = try openRoot(path)
    if !readOnly { try probe(root.descriptor) }
    let name = name ?? lastComponent(of: root.descriptor, path)
    return BucketStore(root: root, name: name, readOnly: readOnly)
  }

  private static func openRoot(_ path: Span<UInt8>) throws(BucketOpenError) -> OwnedDescriptor {
    do throws(Errno) {
      return try System.open(path, in: .workingDirectory, [.readOnly, .directory])
    } catch {
      throw error == .notDirectory ? .notDirectory : .unopenable(error)
    }
  }

  /// Throws where the filesystem of `root` keeps no `user.*` xattrs.
  package static func probe(_ root: Descriptor) throws(BucketOpenError) {
    let name: StaticString = "user.bucketfs.probe"
    do throws(Errno) {
      try System.removeXattr(name.bytes, of: root)
    } catch {
      if error == .noData { return }
      if error == .notSupported { throw withoutXattrs(root) }
      // Not ours to change, which says nothing about the files in it: whether one could be read does.
      var value = ByteBuffer(capacity: 1)
      do throws(Errno) {
        try value.fill { memory throws(Errno) in try System.getXattr(name.bytes, of: root, into: memory) }
      } catch {
        guard error == .notSupported else { return }
        throw withoutXattrs(root)
      }
    }
  }

  private static func withoutXattrs(_ root: Descriptor) -> BucketOpenError {
    .withoutXattrs(fileSystemType: (try? System.fileSystemType(of: root)) ?? 0)
  }

  /// The last component of where the directory really is, so that `.` and a symlink have names too.
  private static func lastComponent(of root: Descriptor, _ path: Span<UInt8>) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 4096)
    let known = try? buffer.fill { memory throws(Errno) in try System.currentPath(of: root, into: memory) }
    let whole = known == nil ? path.array : buffer.span.array
    return whole.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? [UInt8(ascii: "/")]
  }
}
