package import Bucket
package import SystemCalls

/// Objects' properties as extended attributes: which name stands for what, and which errno for which refusal.
///
/// Names and values are bytes. ACLs (`system.`) are not its business: the operations hand them to the backing file.
/// Reading a stored or derived value and listing allocate nothing.
package final class XattrView: Sendable {
  // Configuration.
  package let options: XattrOptions
  /// What `user.bucketfs.status` of the root folder reads as.
  let status: @Sendable (inout ByteBuffer) -> Void

  // Dependencies.
  package let reader: MetadataReader

  package init(
    store: BucketStore, mediaTypes: MediaTypes, hasher: ContentHasher, options: XattrOptions = XattrOptions(),
    status: @escaping @Sendable (inout ByteBuffer) -> Void = { _ in }
  ) {
    reader = MetadataReader(store: store, mediaTypes: mediaTypes, hasher: hasher)
    self.options = options
    self.status = status
  }

  package var store: BucketStore { reader.store }

  /// Bytes of the longest value and of the longest list that the kernel takes, `XATTR_SIZE_MAX`.
  static var limit: Int { 65536 }
}
