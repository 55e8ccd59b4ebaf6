internal import Bucket
internal import SystemCalls

extension BucketAccess {
  /// Changes an object's metadata in one step. The patch's values were checked.
  func change(_ object: Reached, _ patch: MetadataPatch) throws(AccessError) {
    switch way {
    case .mount:
      do throws(Errno) {
        let json = patch.json
        try System.setXattr(("user.bucketfs.update" as StaticString).bytes, of: object.file, to: json.span)
      } catch {
        throw .system(error)
      }
    case .directory(let reader):
      try change(object, in: reader.store) { record, status throws(MetadataError) in
        try record.make(.patch(patch), status: status)
      }
    }
  }

  /// Changes an object's record in a bucket's directory.
  func change(
    _ object: Reached, in store: BucketStore,
    _ body: (inout Record, FileStatus) throws(MetadataError) -> Bool
  ) throws(AccessError) {
    do throws(ChangeError<MetadataError>) {
      try store.change(object.file, content: .closed, body)
    } catch {
      switch error {
      case .refused(let reason): throw .refused(reason)
      case .store(let reason): throw .store(reason)
      }
    }
  }
}

extension MetadataPatch {
  /// The patch as `user.bucketfs.update` takes it.
  var json: [UInt8] {
    var writer = JSONWriter()
    for (property, value) in properties {
      if let value { writer.set(property.name.bytes, to: value.span) } else { writer.setNull(property.name.bytes) }
    }
    let custom: StaticString = "customMetadata"
    switch customMetadata {
    case .removeAll: writer.setNull(custom.bytes)
    case .merge(let entries) where !entries.isEmpty:
      var object = JSONWriter()
      for (key, value) in entries {
        if let value { object.set(key.span, to: value.span) } else { object.setNull(key.span) }
      }
      writer.set(custom.bytes, to: object)
    case .merge: break
    }
    // As strings: a generation may pass what a number of JSON holds.
    if let generation { writer.set("ifGenerationMatch", to: generation) }
    if let metageneration { writer.set("ifMetagenerationMatch", to: metageneration) }
    var output = ByteBuffer(capacity: 1 << 18)
    writer.append(to: &output)
    return output.array
  }
}

extension JSONWriter {
  fileprivate mutating func set(_ key: StaticString, to number: UInt64) {
    let digits = Array(String(number).utf8)
    set(key.bytes, to: digits.span)
  }
}
