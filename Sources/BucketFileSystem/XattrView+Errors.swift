internal import Bucket
internal import SystemCalls

extension XattrView {
  /// What `error` is to the caller. An unusable record is worth a line in the log.
  func errno(_ error: StoreError, of object: ObjectReference) -> Errno {
    if error.isAboutTheRecord {
      Log.write(.error, .record, "\(Self.path(of: object)): \(error)")
    }
    return Errno(error)
  }

  /// Where the backing file is, for people.
  private static func path(of object: ObjectReference) -> String {
    var buffer = ByteBuffer(capacity: 4096)
    let isKnown =
      (try? buffer.fill { memory throws(Errno) in
        try System.currentPath(of: object.file, into: memory)
      }) != nil
    return isKnown ? String(decoding: buffer.span.array, as: UTF8.self) : "an object"
  }
}
