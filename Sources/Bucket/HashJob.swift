internal import SystemCalls

/// One digest that somebody waits for.
final class HashJob: Sendable {
  /// The object, until the digest is known.
  let file: OwnedDescriptor
  /// Which file that is.
  let key: Key
  let content: ContentState
  /// Whether the asker has gone away.
  let isCancelled: @Sendable () -> Bool
  /// To be called once, by whoever took the job off the queue.
  let finish: @Sendable (Result<ContentDigest, HashError>) -> Void

  /// A file, whatever it is called.
  struct Key: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  init(
    file: consuming OwnedDescriptor, key: Key, content: ContentState, isCancelled: @escaping @Sendable () -> Bool,
    finish: @escaping @Sendable (Result<ContentDigest, HashError>) -> Void
  ) {
    self.file = file
    self.key = key
    self.content = content
    self.isCancelled = isCancelled
    self.finish = finish
  }
}
