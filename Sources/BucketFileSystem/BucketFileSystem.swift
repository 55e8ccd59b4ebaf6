internal import Bucket
package import SystemCalls

/// A bucket as a file system: FUSE's operations over a backing directory, without FUSE.
///
/// Each operation is a method that takes what the request carries and returns the answer or throws the errno. The
/// kernel has checked permissions before it asks (`default_permissions`).
package final class BucketFileSystem: Sendable {
  // Configuration.
  package let options: FileSystemOptions
  /// Registers a backing file with the kernel and gives its id back; nil where the kernel has to ask the daemon.
  let backings: BackingRegistry
  /// What the kernel can be told to forget.
  let kernel: KernelCache
  /// Tells of changes made behind the mount's back; nil where nobody does.
  let watch: Watch?

  // Dependencies.
  package let xattrs: XattrView

  var store: BucketStore { xattrs.store }

  // Mutable state, each with its own locks.
  package let table: InodeTable
  let numbers: InodeNumbers
  let files = HandleTable<FileHandle>()
  let directories = HandleTable<DirectoryHandle>()
  let links = LinkNames()
  let removals = RemovedNames()
  let replacements = Replacements()
  package let watchCounts = WatchCounts()

  package init(
    root: consuming OwnedDescriptor, xattrs: XattrView, options: FileSystemOptions,
    descriptorLimit: Int, backings: BackingRegistry, kernel: KernelCache = .none, watch: Watch? = nil
  ) throws(Errno) {
    let status = try System.status(of: root.descriptor)
    table = InodeTable(root: root, status: status, descriptorLimit: descriptorLimit)
    numbers = InodeNumbers(rootDevice: status.device)
    self.xattrs = xattrs
    self.options = options
    self.backings = backings
    self.kernel = kernel
    self.watch = watch
  }

  /// Open files, open directories, remembered inodes and cached descriptors now.
  package var counts: (files: Int, directories: Int, inodes: Int, descriptors: Int) {
    let (inodes, descriptors) = table.counts
    return (files.count, directories.count, inodes, descriptors)
  }
}

/// How backing files are made known to the kernel for passthrough; the session fills it in.
package struct BackingRegistry: Sendable {
  /// Returns the kernel's id, or nil where there is no passthrough for this file.
  package let register: @Sendable (Descriptor) -> Int32?
  package let release: @Sendable (Int32) -> Void

  package init(
    register: @escaping @Sendable (Descriptor) -> Int32?, release: @escaping @Sendable (Int32) -> Void
  ) {
    self.register = register
    self.release = release
  }

  /// No passthrough at all.
  package static let none = BackingRegistry(register: { _ in nil }, release: { _ in })
}
