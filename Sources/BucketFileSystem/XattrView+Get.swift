package import Bucket
package import SystemCalls

extension XattrView {
  /// Appends the value of `name` to `output`, which must be empty. `user` is the caller's.
  ///
  /// Throws ENODATA where it is not set, E2BIG where it is longer than any xattr, EACCES where it is not for the caller.
  package func get<Naming: ObjectNaming & ~Copyable>(
    _ name: Span<UInt8>, of object: ObjectReference, naming: borrowing Naming, user: UInt32,
    _ scratch: inout MetadataScratch, into output: inout ByteBuffer
  ) throws(Errno) -> XattrAnswer {
    let answer: MetadataReader.Answer
    do throws(StoreError) {
      answer = try read(
        AttributeName(name, options.names), name, of: object, naming, user: user, &scratch, into: &output)
    } catch {
      throw errno(error, of: object)
    }
    guard !output.overflowed, output.count <= Self.limit else { throw .argumentListTooLong }
    switch answer {
    case .value: return .value
    case .unset: throw .noData
    case .uncomputed: return .deferred
    }
  }

  private func read<Naming: ObjectNaming & ~Copyable>(
    _ attribute: AttributeName, _ name: Span<UInt8>, of object: ObjectReference, _ naming: borrowing Naming,
    user: UInt32, _ scratch: inout MetadataScratch, into output: inout ByteBuffer
  ) throws(StoreError) -> MetadataReader.Answer {
    switch attribute {
    case .unsupported: throw .system(.notSupported)
    case .emptyKey: throw .system(.invalidArgument)
    case .security, .reserved, .update: return .unset
    case .property, .custom, .customMetadata, .json, .status: break
    }
    guard object.kind != .other else { return .unset }
    switch attribute {
    case .property(let property):
      guard property.isOnFolders || !object.kind.isFolder else { return .unset }
      return try reader.append(property, of: object, naming, &scratch, to: &output)
    case .custom(let key):
      let isSet = try reader.withCustom(name.extracting(key), of: object, &scratch) { output.append($0) }
      return isSet ? .value : .unset
    case .customMetadata:
      return try reader.appendCustomMetadata(of: object, to: &output) ? .value : .unset
    case .json:
      try reader.appendJSON(of: object, naming, to: &output)
      return .value
    case .status:
      guard object.kind == .rootFolder else { return .unset }
      guard user == 0 || user == System.effectiveUser else { throw .system(.permissionDenied) }
      status(&output)
      return .value
    case .unsupported, .emptyKey, .security, .reserved, .update:
      return .unset
    }
  }
}
