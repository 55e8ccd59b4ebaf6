package import Bucket
package import SystemCalls

extension XattrView {
  /// Appends the names of the xattrs that `object` has to show to `output`, each with a NUL behind it.
  package func list(
    of object: ObjectReference, _ scratch: inout MetadataScratch, into output: inout ByteBuffer
  ) throws(Errno) {
    guard object.kind != .other else { return }
    do throws(StoreError) {
      let metadata = try reader.stored(of: object, &scratch)
      for index in Property.table.indices {
        let property = Property.table[index]
        guard property.isOnFolders || !object.kind.isFolder else { continue }
        if try isListed(property, metadata, of: object) {
          AttributeName.appendListed(property, options.names, to: &output)
        }
      }
      reader.forEachKey(in: metadata, scratch) { key in
        AttributeName.appendListed(key: key, options.names, to: &output)
      }
    } catch {
      throw errno(error, of: object)
    }
    guard !output.overflowed, output.count <= Self.limit else { throw .argumentListTooLong }
  }

  private func isListed(
    _ property: Property, _ metadata: StoredMetadata, of object: ObjectReference
  ) throws(StoreError) -> Bool {
    switch property.source {
    case .bucketName, .objectName, .lastComponent, .size, .generation, .metageneration, .timeCreated, .updated:
      options.list == .all
    case .customMetadata:
      // Reached through its entries, each listed by itself.
      false
    case .stored(let stored, let fallback):
      switch try reader.presence(of: stored, in: metadata, of: object) {
      case .set: true
      case .removed: false
      case .unset: options.list == .all && fallback == .mediaType
      }
    }
  }
}
