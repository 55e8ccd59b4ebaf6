package import SystemCalls

/// One object in the place of another: its generation continues the other's, and after a safe save so does its metadata.
extension BucketStore {
  /// Prepares `new` for being renamed over `old`, or for having been created where `old` was: makes its generation
  /// higher than both, since the same content may have been seen under its own name, and, if `takingOver`, gives it each property and entry of `old` that it has not set itself, but not the
  /// digest. `content` is whether this process has `new` open for writing.
  ///
  /// Returns what `undo` needs if the rename fails, nil where nothing was written. This is nothing that anyone asked
  /// for: what cannot be taken over is a line in the log, and the rename goes on.
  package func prepare(
    _ new: Descriptor, toReplace old: Descriptor, takingOver: Bool, content: ContentState
  ) -> Replacement? {
    var replacement: Replacement?
    attempt(takingOver ? .takeOver : .pin, old) { () throws(StoreError) in
      replacement = try withObject(new, and: old, orElse: { $0 }) { () throws(StoreError) in
        try self.replace(old, by: new, takingOver: takingOver, content: content)
      }
    }
    return replacement
  }

  private func replace(
    _ old: Descriptor, by new: Descriptor, takingOver: Bool, content: ContentState
  ) throws(StoreError) -> Replacement? {
    var buffer = ByteBuffer(capacity: Self.bufferCapacity)
    let replaced = try current(of: old, content: .closed, &buffer)
    let replacing = try current(of: new, content: content, &buffer)
    let version = replacing.version.raised(above: max(replaced.version.generation, replacing.version.generation))
    var record = replacing.record
    record.version = version.pinned(Pin(replacing.status))

    guard takingOver else { return try write(record, to: new, over: &buffer) }
    var source = replaced.record
    Self.adopt(try plainAttributes(of: old, isFolder: false, &buffer), into: &source)
    var merged = record
    merged.takeOver(from: source, except: try plainAttributes(of: new, isFolder: false, &buffer))
    do throws(StoreError) {
      guard merged.customTotal <= Limits.customTotal else { throw .noRoom }
      return try write(merged, to: new, over: &buffer)
    } catch {
      // The generation at least.
      Log.write(.warning, .takeOver, "skipped for \(Self.path(of: old)): \(error)")
      return try write(record, to: new, over: &buffer)
    }
  }

  private func write(
    _ record: Record, to object: Descriptor, over buffer: inout ByteBuffer
  ) throws(StoreError) -> Replacement {
    let previous = try readAttribute(of: object, into: &buffer) ? buffer.span.array : nil
    try write(record, to: object)
    guard try readAttribute(of: object, into: &buffer) else { throw .system(.noData) }
    return Replacement(previous: previous, written: buffer.span.array)
  }

  /// Takes off `new` what `prepare` wrote there, unless it was changed since.
  package func undo(_ replacement: Replacement, of new: Descriptor) {
    attempt(.takeOver, new) { () throws(StoreError) in
      try withObject(new, orElse: { $0 }) { () throws(StoreError) in
        var buffer = ByteBuffer(capacity: Self.bufferCapacity)
        guard try readAttribute(of: new, into: &buffer), buffer.span.equals(replacement.written.span) else { return }
        do throws(Errno) {
          if let previous = replacement.previous {
            try store(previous.span, on: new)
          } else {
            try System.removeXattr(Self.attribute.bytes, of: new)
          }
        } catch {
          throw .system(error)
        }
      }
    }
  }
}

extension Record {
  /// Adds each property and entry of `other` that this record has not, nor `plain`, which shows beside it. The digest is
  /// the other content's and stays there.
  mutating func takeOver(from other: Record, except plain: [PlainAttribute]) {
    for property in StoredProperty.allCases where property != .md5Hash && self[property] == .unset {
      if !plain.contains(where: { $0.meaning == .property(property) }) { self[property] = other[property] }
    }
    for entry in other.custom where !storesCustom(entry.key.span) {
      if !plain.contains(where: { $0.key == entry.key }) { setCustom(entry) }
    }
  }
}
