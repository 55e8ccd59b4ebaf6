package import SystemCalls

/// Computes the MD5 of contents on threads of its own, so that no request waits for another's, and remembers them.
///
/// Reading a content changes nothing of the file, not even its atime where the kernel lets the process say so.
package final class ContentHasher: Sendable {
  /// Bytes that are read at once: the time between two looks at whether the asker has gone away.
  private static let chunk = 1 << 20

  private let cache: DigestCache
  private let queue: HashQueue

  /// Makes a hasher of `threads` threads, which is how many contents are read at a time. Without any, only
  /// `digest(of:)` computes.
  ///
  /// The threads inherit the identity and the capabilities of the calling one.
  package init(threads: Int = 2, capacity: Int = 1 << 14) throws(Errno) {
    cache = DigestCache(capacity: capacity)
    queue = HashQueue()
    try start(threads: threads)
  }

  /// Adds threads, as `init` says.
  package func start(threads: Int) throws(Errno) {
    if threads > 0 { MD5.keepLibraryAtExit() }
    for _ in 0..<threads {
      try System.startThread { [cache, queue] in
        var buffer = ByteBuffer(capacity: ContentHasher.chunk)
        while let job = queue.next() {
          let result = ContentHasher.result(of: job, cache, queue, &buffer)
          queue.release(job)
          job.finish(result)
        }
      }
    }
  }

  deinit {
    queue.stop()
  }

  /// The digest of a file that is as `status` has it, if it is known without reading.
  package func remembered(_ status: FileStatus) -> MD5Digest? {
    cache.digest(for: status)
  }

  /// Forgets a file: to be called when it is opened for writing and when its last writer closes, since stores to
  /// mapped memory need not move its times at once.
  package func forget(device: UInt64, inode: UInt64) {
    cache.forget(device: device, inode: inode)
  }

  /// Notes that the process itself wrote an xattr of a file that was as `before` has it, which moved its ctime alone.
  package func noteOwnChange(of file: Descriptor, from before: FileStatus) {
    guard cache.digest(for: before) != nil, let after = try? System.status(of: file) else { return }
    cache.move(from: before, to: after)
  }

  /// Puts the digest of `object` in the queue; `completion` is called once, on a thread of the hasher.
  ///
  /// `isCancelled` is polled, also while the object waits for its turn. The object may be closed once this returns.
  package func submit(
    _ object: Descriptor, content: ContentState, isCancelled: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<ContentDigest, HashError>) -> Void
  ) {
    do throws(Errno) {
      let status = try System.status(of: object)
      queue.add(
        HashJob(
          file: try System.duplicate(object), key: HashJob.Key(device: status.device, inode: status.inode),
          content: content, isCancelled: isCancelled, finish: completion))
    } catch {
      completion(.failure(.system(error)))
    }
  }

  /// The digest of `object`, known or read on the calling thread.
  package func digest(
    of object: Descriptor, content: ContentState, isCancelled: () -> Bool = { false }
  ) throws(HashError) -> ContentDigest {
    var buffer = ByteBuffer(capacity: Self.chunk)
    return try Self.digest(of: object, content, cache, &buffer, isCancelled)
  }

  private static func result(
    of job: HashJob, _ cache: DigestCache, _ queue: HashQueue, _ buffer: inout ByteBuffer
  ) -> Result<ContentDigest, HashError> {
    do throws(HashError) {
      return .success(
        try digest(of: job.file.descriptor, job.content, cache, &buffer) {
          queue.finishCancelled()
          return job.isCancelled()
        })
    } catch {
      return .failure(error)
    }
  }
}

extension ContentHasher {
  /// How often a content that changes while it is read is read from the start before what was read is the answer.
  private static let attempts = 3

  private static func digest(
    of object: Descriptor, _ content: ContentState, _ cache: DigestCache, _ buffer: inout ByteBuffer,
    _ isCancelled: () -> Bool
  ) throws(HashError) -> ContentDigest {
    var status = try self.status(of: object)
    guard status.isRegular else { throw .notRegular }
    if content == .closed, let known = cache.digest(for: status) {
      return ContentDigest(digest: known, pin: Pin(status))
    }
    let file = try open(object)
    var attempt = 1
    while true {
      let epoch = cache.epoch(of: status)
      let isSettled = status.isSettled
      let digest = try read(file.descriptor, &buffer, isCancelled)
      let after = try self.status(of: object)
      if Pin(after) == Pin(status) || attempt == attempts {
        if content == .closed, isSettled, Pin(after) == Pin(status), after.changed == status.changed {
          cache.remember(digest, for: status, epoch: epoch)
        }
        return ContentDigest(digest: digest, pin: Pin(after))
      }
      status = after
      attempt += 1
    }
  }

  private static func read(
    _ file: Descriptor, _ buffer: inout ByteBuffer, _ isCancelled: () -> Bool
  ) throws(HashError) -> MD5Digest {
    guard var computation = MD5() else { throw .unavailable }
    var offset: Int64 = 0
    while true {
      if isCancelled() { throw .cancelled }
      do throws(Errno) {
        try buffer.fill { bytes throws(Errno) in try System.read(file, at: offset, into: bytes) }
      } catch {
        throw .system(error)
      }
      if buffer.count == 0 { return computation.finish() }
      computation.update(buffer.span)
      offset += Int64(buffer.count)
    }
  }

  /// Opens the content for reading, without moving atime where that is allowed.
  private static func open(_ object: Descriptor) throws(HashError) -> OwnedDescriptor {
    do throws(Errno) {
      do throws(Errno) {
        return try System.reopen(object, [.readOnly, .nonBlocking, .noAccessTime])
      } catch .notPermitted {
        return try System.reopen(object, [.readOnly, .nonBlocking])
      }
    } catch {
      throw .system(error)
    }
  }

  private static func status(of object: Descriptor) throws(HashError) -> FileStatus {
    do throws(Errno) {
      return try System.status(of: object)
    } catch {
      throw .system(error)
    }
  }
}
