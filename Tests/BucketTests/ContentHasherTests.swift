import SystemCalls
import TestSupport
import Testing

@testable import Bucket

@Suite("A content's digest")
struct ContentHasherTests {
  /// What a completion was called with, and a way to wait for it.
  private final class Outcome: Sendable {
    private let condition = Condition()
    private let result = Mutex<Result<ContentDigest, HashError>?>(nil)

    func set(_ value: Result<ContentDigest, HashError>) {
      condition.withLock {
        result.withLock { $0 = value }
        condition.broadcast()
      }
    }

    var isThere: Bool { result.withLock { $0 != nil } }

    func wait() -> Result<ContentDigest, HashError> {
      condition.withLock {
        while true {
          if let value = result.withLock({ $0 }) { return value }
          condition.wait()
        }
      }
    }
  }

  private func submit(
    _ object: Object, to hasher: ContentHasher, content: ContentState = .closed,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> Outcome {
    let outcome = Outcome()
    hasher.submit(object.descriptor, content: content, isCancelled: isCancelled) { outcome.set($0) }
    return outcome
  }

  private func base64(_ digest: MD5Digest) -> String { appended { $0.append(base64: digest) } }

  private func openssl(_ path: Path) throws -> String {
    try Shell.expect("openssl md5 -binary \(path.quoted) | base64")
  }

  @Test("follows the content also where a filesystem keeps whole seconds")
  func wholeSeconds() throws {
    try BackingFileSystem.ext4.with(megabytes: 8, makeOptions: ["-I", "128"]) { root in
      let object = try TestBucket(at: root).make("f", "0")
      let hasher = try ContentHasher(threads: 0)
      for content in ["1", "2", "3"] {
        try object.path.write(content)
        let digest = try hasher.digest(of: object.descriptor, content: .closed).digest
        #expect(base64(digest) == (try openssl(object.path)))
      }
    }
  }

  @Test("is that of OpenSSL's program, of any length", arguments: [0, 1, 55, 56, 64, 1 << 20, 1 << 20 + 1, 3_000_000])
  func lengths(_ length: Int) throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("f", "")
      try object.path.write(bytes: (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
      let hasher = try ContentHasher()
      let before = try object.path.status()
      let result = try submit(object, to: hasher).wait().get()
      #expect(base64(result.digest) == (try openssl(object.path)))
      let status = try System.status(of: object.descriptor)
      #expect(result.pin == Pin(status))
      #expect(hasher.remembered(status) == result.digest)
      #expect(try object.path.status().changed == before.changed)
      #expect(try hasher.digest(of: object.descriptor, content: .closed) == result)
    }
  }

  @Test("is computed by two threads, which is how many files are read at a time")
  func atMostTwo() throws {
    try TestBucket.with { bucket in
      let hasher = try ContentHasher()
      let threads = Shared<Set<Int32>>([])
      var outcomes: [Outcome] = []
      for number in 0..<8 {
        let object = try bucket.make(Path("\(number)"), "content \(number)")
        let outcome = Outcome()
        hasher.submit(object.descriptor, content: .closed, isCancelled: { false }) { result in
          threads.value.withLock { _ = $0.insert(System.threadIdentifier) }
          outcome.set(result)
        }
        outcomes.append(outcome)
      }
      for outcome in outcomes { _ = try outcome.wait().get() }
      #expect(threads.value.withLock { $0.count } <= 2)
      #expect(threads.value.withLock { !$0.contains(System.threadIdentifier) })
    }
  }

  @Test("is given up when the asker goes away, in the middle of the content or still in the queue")
  func cancelling() throws {
    try TestBucket.with { bucket in
      let large = try bucket.make("large", "")
      try large.path.truncate(to: 1 << 40)
      let hasher = try ContentHasher()
      let isOver = Shared(false)
      let another = try bucket.make("another", "")
      try another.path.truncate(to: 1 << 40)
      let running = [large, another].map { submit($0, to: hasher) { isOver.value.withLock { $0 } } }
      let waiting = submit(large, to: hasher) { isOver.value.withLock { $0 } }
      let gone = submit(large, to: hasher) { true }
      #expect(gone.wait() == .failure(.cancelled))
      #expect(!running[0].isThere && !running[1].isThere && !waiting.isThere)
      isOver.value.withLock { $0 = true }
      for outcome in running + [waiting] { #expect(outcome.wait() == .failure(.cancelled)) }
      // The threads are free again.
      let small = try bucket.make("small")
      #expect(throws: Never.self) { try submit(small, to: hasher).wait().get() }
    }
  }

  @Test("waits for its turn whichever thread looked at the queue last")
  func lateLook() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("a")
      let queue = HashQueue()
      let answers = Mutex(0)
      queue.add(
        HashJob(
          file: try System.duplicate(object.descriptor), key: HashJob.Key(device: 1, inode: 1), content: .closed,
          isCancelled: { false }, finish: { _ in answers.withLock { $0 += 1 } }))
      queue.finishCancelled(at: 2_000_000_000)
      // A thread that has taken the time before, and comes after.
      queue.finishCancelled(at: 1_999_999_999)
      #expect(answers.withLock { $0 } == 0)
      queue.stop()
      #expect(answers.withLock { $0 } == 1)
    }
  }

  @Test("is read once for all who ask for the same content at a time")
  func askedTwice() throws {
    try TestBucket.with { bucket in
      let hasher = try ContentHasher()
      let (large, small) = (try bucket.make("large", ""), try bucket.make("small"))
      try large.path.truncate(to: 1 << 40)
      let isOver = Shared(false)
      let outcomes = (0..<4).map { _ in submit(large, to: hasher) { isOver.value.withLock { $0 } } }
      // One thread is left for others.
      #expect(throws: Never.self) { try submit(small, to: hasher).wait().get() }
      isOver.value.withLock { $0 = true }
      for outcome in outcomes { #expect(outcome.wait() == .failure(.cancelled)) }
    }
  }

  @Test("is answered as given up when the hasher goes away")
  func stopping() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("f")
      var hasher: ContentHasher? = try ContentHasher(threads: 0)
      let outcome = submit(object, to: hasher!)
      #expect(!outcome.isThere)
      hasher = nil
      #expect(outcome.wait() == .failure(.cancelled))
    }
  }

  @Test("is that of the whole content where it changes while it is read")
  func changing() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("f", String(repeating: "a", count: 3 << 20))
      let hasher = try ContentHasher(threads: 0)
      var polls = 0
      let result = try hasher.digest(of: object.descriptor, content: .closed) {
        polls += 1
        if polls == 2 { try? object.path.append("more") }
        return false
      }
      #expect(base64(result.digest) == (try openssl(object.path)))
      let status = try System.status(of: object.descriptor)
      #expect(result.pin == Pin(status))
    }
  }

  @Test("is not remembered where a writer may have come between, or has the file open")
  func forgetting() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("f")
      let hasher = try ContentHasher(threads: 0)
      let status = try System.status(of: object.descriptor)
      _ = try hasher.digest(of: object.descriptor, content: .openForWriting)
      #expect(hasher.remembered(status) == nil)
      _ = try hasher.digest(of: object.descriptor, content: .closed) {
        hasher.forget(device: status.device, inode: status.inode)
        return false
      }
      #expect(hasher.remembered(status) == nil)
      let digest = try hasher.digest(of: object.descriptor, content: .closed)
      #expect(hasher.remembered(status) == digest.digest)
      hasher.forget(device: status.device, inode: status.inode)
      #expect(hasher.remembered(status) == nil)
    }
  }

  @Test("is remembered over the process's own change of metadata, and over nobody else's")
  func ownChange() throws {
    try TestBucket.with { bucket in
      let object = try bucket.make("f")
      let hasher = try ContentHasher(threads: 0)
      _ = try hasher.digest(of: object.descriptor, content: .closed)
      var status = try System.status(of: object.descriptor)
      try object.setPlain("user.a", "1")
      hasher.noteOwnChange(of: object.descriptor, from: status)
      let after = try System.status(of: object.descriptor)
      #expect(after.changed != status.changed)
      #expect(hasher.remembered(status) == nil)
      #expect(hasher.remembered(after) != nil)
      status = after
      try object.setPlain("user.a", "2")
      let other = try System.status(of: object.descriptor)
      #expect(hasher.remembered(other) == nil)
      // The content's own change is none of metadata.
      try object.path.append("more")
      hasher.noteOwnChange(of: object.descriptor, from: status)
      let last = try System.status(of: object.descriptor)
      #expect(hasher.remembered(last) == nil)
    }
  }

  @Test("is remembered of so many files and no more")
  func bounds() throws {
    try TestBucket.with { bucket in
      let hasher = try ContentHasher(threads: 0, capacity: 8)
      var objects: [Object] = []
      for number in 0..<64 {
        let object = try bucket.make(Path("\(number)"), "content \(number)")
        _ = try hasher.digest(of: object.descriptor, content: .closed)
        let status = try System.status(of: object.descriptor)
        #expect(hasher.remembered(status) != nil)
        objects.append(object)
      }
      let remembered = try objects.filter { hasher.remembered(try System.status(of: $0.descriptor)) != nil }
      #expect(remembered.count <= 8 && remembered.count >= 4)
    }
  }

  @Test("is that of regular files which the process may read")
  func unreadable() throws {
    try TestBucket.with { bucket in
      let (open, closed) = (try bucket.make("open"), try bucket.make("closed"))
      try closed.path.changeMode(0o600)
      try Caller.nobody.run {
        // Not the owner's process, which may not ask for O_NOATIME.
        let hasher = try ContentHasher(threads: 0)
        #expect(throws: Never.self) { try hasher.digest(of: open.descriptor, content: .closed) }
        #expect(throws: HashError.system(.permissionDenied)) {
          try hasher.digest(of: closed.descriptor, content: .closed)
        }
      }
      try (bucket.path / "fifo").makeFIFO()
      let (fifo, folder) = (try bucket.object("fifo"), try bucket.object("."))
      let hasher = try ContentHasher(threads: 0)
      #expect(throws: HashError.notRegular) { try hasher.digest(of: fifo.descriptor, content: .closed) }
      #expect(throws: HashError.notRegular) { try hasher.digest(of: folder.descriptor, content: .closed) }
    }
  }

  /// A lock that closures share.
  private final class Shared<Value>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }
}
