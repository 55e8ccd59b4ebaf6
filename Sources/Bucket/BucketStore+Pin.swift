package import SystemCalls

/// Pins: what is written so that a generation neither falls nor repeats, nor changes without a change of content. A pin
/// is no change of metadata, and takes in no plain xattrs.
///
/// A pin is bucketfs's own wish and must not stand in the way of the program that renames, writes or touches: where it
/// cannot be written there is a line in the log.
extension BucketStore {
  /// Makes the object's generation greater than `floor`: after a rename over an object of that generation, or on
  /// creating a name that was seen removed with it.
  package func pin(_ object: Descriptor, above floor: UInt64, content: ContentState) {
    attempt(.pin, object) { () throws(StoreError) in
      try withObject(object, orElse: { $0 }) { () throws(StoreError) in
        var buffer = ByteBuffer(capacity: Self.bufferCapacity)
        var current = try current(of: object, content: content, &buffer)
        guard current.version.generation <= floor else { return }
        current.record.version = current.version.raised(above: floor).pinned(Pin(current.status))
        try write(current.record, to: object)
      }
    }
  }

  /// Settles the object's version when its last writable handle is released and its content has changed since it was
  /// opened with generation `floor`: the generation grows, and a digest that was set on the empty file is from now on
  /// that of this content.
  package func finishWriting(_ object: Descriptor, above floor: UInt64) {
    attempt(.pin, object) { () throws(StoreError) in
      try withObject(object, orElse: { $0 }) { () throws(StoreError) in
        var buffer = ByteBuffer(capacity: Self.bufferCapacity)
        var current = try current(of: object, content: .openForWriting, &buffer)
        let settlesDigest = current.record.md5IsProvisional && current.status.size > 0
        guard settlesDigest || current.version.generation <= floor else { return }
        if settlesDigest { current.record.md5IsProvisional = false }
        current.record.version = current.version.raised(above: floor).pinned(Pin(current.status))
        try write(current.record, to: object)
      }
    }
  }

  /// Runs `body`, which sets the times of an object that nobody has open for writing, and keeps the object's version.
  ///
  /// The pin is written before, with the mtime that `body` is going to set, so that the generation does not fall where
  /// the second step is not reached; nil where the kernel will choose the time, which then can only make it grow.
  package func keepVersion<Result>(
    of object: Descriptor, settingMtime modified: Timestamp?, during body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    var outcome: Swift.Result<Result, Errno>?
    attempt(.pin, object) { () throws(StoreError) in
      try withObject(object, orElse: { $0 }) { () throws(StoreError) in
        var buffer = ByteBuffer(capacity: Self.bufferCapacity)
        let current = try current(of: object, content: .closed, &buffer)
        var record = current.record
        if let modified, modified != record.pin.modified {
          record.pin.modified = modified
          try write(record, to: object)
        }
        outcome = Self.run(body)
        let pin = Pin(try status(of: object))
        if pin != record.pin {
          record.pin = pin
          try write(record, to: object)
        }
      }
    }
    return try (outcome ?? Self.run(body)).get()
  }

  private static func run<Result>(_ body: () throws(Errno) -> Result) -> Swift.Result<Result, Errno> {
    do throws(Errno) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// Does what bucketfs wants and nobody asked for: a failure is a line in the log.
  func attempt(_ kind: Log.Kind, _ object: Descriptor, _ body: () throws(StoreError) -> Void) {
    do throws(StoreError) {
      try body()
    } catch .readOnlyBucket {
      // As it should be.
    } catch {
      Log.write(.warning, kind, "skipped for \(Self.path(of: object)): \(error)")
    }
  }
}
