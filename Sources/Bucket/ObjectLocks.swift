internal import SystemCalls

/// Keeps two changes of one object apart, in this process and among all that use the bucket.
///
/// An object's lock is one byte of the lock file, chosen by a hash of device and inode: an OFD write lock keeps other
/// processes out, and a bit in memory other threads, which share the open file. Two objects are locked in the order of
/// their bytes, so that nobody waits for somebody who waits for him.
final class ObjectLocks: Sendable {
  /// Bytes of the lock file that stand for objects. The byte behind them is the lock of the bucket.
  static let count = 4096
  /// How long a lock is waited for, in nanoseconds.
  static let patience: UInt64 = 10_000_000_000

  private let folder: PrivateFolder
  /// The bytes that a thread of this process has or is asking for. Never held over a system call.
  private let taken = Mutex(TakenBytes())

  init(folder: PrivateFolder) {
    self.folder = folder
  }

  /// The byte that stands for an object: the same in every process.
  static func byte(of status: FileStatus) -> Int {
    // splitmix64, so that neighbouring inodes are far apart.
    var hash = status.inode &+ status.device &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
    return Int((hash ^ hash >> 31) % UInt64(count))
  }

  /// Runs `body` while no other thread or process changes the object of `byte`, nor that of `other`. If `waiting` is
  /// false, a lock that somebody has fails at once.
  func withLock<Result, Failure: Error>(
    _ byte: Int, and other: Int? = nil, waiting: Bool = true, orElse failure: (StoreError) -> Failure,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let deadline = waiting ? Clock.monotonic + Self.patience : 0
    let first = min(byte, other ?? byte)
    let second = max(byte, other ?? byte)
    let lock: PrivateFolder.SharedFile
    do throws(StoreError) {
      lock = try acquire(first, before: deadline)
    } catch {
      throw failure(error)
    }
    defer { release(first, lock) }
    guard second != first else { return try body() }
    let secondLock: PrivateFolder.SharedFile
    do throws(StoreError) {
      secondLock = try acquire(second, before: deadline)
    } catch {
      throw failure(error)
    }
    defer { release(second, secondLock) }
    return try body()
  }

  /// Runs `body` while nobody changes any object of the bucket: all bytes together, and one more.
  func withBucketLock<Result, Failure: Error>(
    orElse failure: (StoreError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lock: PrivateFolder.SharedFile
    do throws(StoreError) {
      lock = try acquire(0..<Self.count + 1, before: Clock.monotonic + Self.patience)
    } catch {
      throw failure(error)
    }
    defer { release(0..<Self.count + 1, lock) }
    return try body()
  }

  private func acquire(_ byte: Int, before deadline: UInt64) throws(StoreError) -> PrivateFolder.SharedFile {
    try acquire(byte..<byte + 1, before: deadline)
  }

  private func acquire(_ bytes: Range<Int>, before deadline: UInt64) throws(StoreError) -> PrivateFolder.SharedFile {
    // Waiting is rare and short, so that it is done by asking again: 20 µs at first, 2 ms at most.
    var pause = 20_000
    while true {
      do throws(Errno) {
        if let lock = try attempt(bytes) { return lock }
      } catch {
        throw .system(error)
      }
      guard Clock.monotonic < deadline else { throw .locked }
      System.sleep(nanoseconds: pause)
      pause = min(pause * 2, 2_000_000)
    }
  }

  /// Takes the lock if it is free.
  private func attempt(_ bytes: Range<Int>) throws(Errno) -> PrivateFolder.SharedFile? {
    let isFree = taken.withLock { taken in taken.insert(bytes) }
    guard isFree else { return nil }
    let range = Int64(bytes.lowerBound)..<Int64(bytes.upperBound)
    do throws(Errno) {
      let lock = try folder.lockFile()
      if try System.tryLock(range, of: lock.descriptor) {
        // A lock on a file that was removed meanwhile keeps nobody out.
        if try System.status(of: lock.descriptor).linkCount > 0 { return lock }
        System.unlock(range, of: lock.descriptor)
        folder.forget()
      }
    } catch {
      taken.withLock { $0.remove(bytes) }
      throw error
    }
    taken.withLock { $0.remove(bytes) }
    return nil
  }

  private func release(_ byte: Int, _ lock: PrivateFolder.SharedFile) {
    release(byte..<byte + 1, lock)
  }

  private func release(_ bytes: Range<Int>, _ lock: PrivateFolder.SharedFile) {
    System.unlock(Int64(bytes.lowerBound)..<Int64(bytes.upperBound), of: lock.descriptor)
    taken.withLock { $0.remove(bytes) }
  }
}

/// A set of bytes of the lock file.
private struct TakenBytes {
  private var words = InlineArray<65, UInt64>(repeating: 0)

  /// Takes all of `bytes` if none is taken.
  mutating func insert(_ bytes: Range<Int>) -> Bool {
    for byte in bytes where words[byte / 64] & bit(byte) != 0 { return false }
    for byte in bytes { words[byte / 64] |= bit(byte) }
    return true
  }

  mutating func remove(_ bytes: Range<Int>) {
    for byte in bytes { words[byte / 64] &= ~bit(byte) }
  }

  private func bit(_ byte: Int) -> UInt64 { 1 << UInt64(byte % 64) }
}
