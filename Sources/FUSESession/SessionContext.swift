package import BucketFileSystem
internal import CFuse
internal import Synchronization
package import SystemCalls

/// What libfuse's callbacks find behind their `userdata`.
final class SessionContext: Sendable {
  let fileSystem: BucketFileSystem
  let negotiation = Negotiation()
  let deferred = DeferredRequests()
  let backings: SessionBackings
  let hasPosixACLs: Bool
  let requests: RequestCounts
  /// The rings that the kernel is offered, nil where it is to use its device alone.
  let rings: Rings?
  /// Called when the kernel has the reply to INIT.
  let initialized = SystemCalls.Mutex<(@Sendable () -> Void)?>(nil)
  /// The mount option `max_read`, in bytes; 0 where it is not given.
  let maximumRead: UInt32

  init(
    fileSystem: BucketFileSystem, backings: SessionBackings, hasPosixACLs: Bool, requests: RequestCounts, rings: Rings?,
    maximumRead: UInt32
  ) {
    self.maximumRead = maximumRead
    self.requests = requests
    self.fileSystem = fileSystem
    self.backings = backings
    self.hasPosixACLs = hasPosixACLs
    self.rings = rings
  }

  func onInitialized() {
    initialized.withLock { body in
      defer { body = nil }
      return body
    }?()
  }
}

/// The backing files that the kernel reads and writes by itself.
package final class SessionBackings: Sendable {
  private let descriptor = Atomic<Int32>(-1)
  private let isRefused = Atomic<Bool>(false)
  private let lastRefusal = Atomic<Int32>(0)
  private let onRefusal: @Sendable (Errno) -> Void

  /// - Parameter onRefusal: told once, when the kernel first refuses a backing file for good.
  package init(onRefusal: @escaping @Sendable (Errno) -> Void) {
    self.onRefusal = onRefusal
  }

  /// For the file system.
  package var registry: BackingRegistry {
    BackingRegistry(register: { self.register($0) }, release: { self.release($0) })
  }

  /// From now on backing files can be registered with the session.
  func start(session descriptor: Descriptor) {
    self.descriptor.store(descriptor.rawValue, ordering: .releasing)
  }

  /// Whether the kernel does data by itself, as far as is known.
  package var isActive: Bool {
    descriptor.load(ordering: .acquiring) >= 0 && !isRefused.load(ordering: .relaxed)
  }

  /// Why the kernel last refused a backing file; nil where it never did.
  var refusal: Errno? {
    let number = lastRefusal.load(ordering: .relaxed)
    return number == 0 ? nil : Errno(rawValue: number)
  }

  private func register(_ file: Descriptor) -> Int32? {
    let session = descriptor.load(ordering: .acquiring)
    guard session >= 0, !isRefused.load(ordering: .relaxed) else { return nil }
    do throws(Errno) {
      return try System.openBacking(file, session: Descriptor(rawValue: session))
    } catch {
      // A stacked filesystem may lie below one folder only; without the right to register none is ever taken.
      if error == .notPermitted { isRefused.store(true, ordering: .relaxed) }
      lastRefusal.store(error.rawValue, ordering: .relaxed)
      onRefusal(error)
      return nil
    }
  }

  private func release(_ id: Int32) {
    System.closeBacking(id, session: Descriptor(rawValue: descriptor.load(ordering: .acquiring)))
  }
}
