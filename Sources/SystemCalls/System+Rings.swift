internal import CLinux
internal import Glibc

/// What rings need beside io_uring itself.
extension System {
  /// How many CPUs the machine can have: the kernel counts its queues so, whichever are there now.
  package static var possibleCPUs: Int {
    let path = Array("/sys/devices/system/cpu/possible".utf8)
    var buffer = ByteBuffer(capacity: 256)
    if let file = try? open(path.span, in: .workingDirectory, [.readOnly]) {
      _ = try? buffer.fill { memory throws(Errno) in try readNext(file.descriptor, into: memory) }
    }
    // "0-7" or "0,2-3": the last number is the highest CPU.
    let text = buffer.span.withUnsafeBytes { Array($0) }
    let digits = text.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if let last = digits.last, let highest = Int(String(decoding: last, as: UTF8.self)) { return highest + 1 }
    return max(1, sysconf(Int32(_SC_NPROCESSORS_CONF)))
  }

  /// Whether the kernel offers FUSE over io_uring to new mounts.
  package static var offersFUSERings: Bool {
    let path = Array("/sys/module/fuse/parameters/enable_uring".utf8)
    guard let file = try? open(path.span, in: .workingDirectory, [.readOnly]) else { return false }
    var buffer = ByteBuffer(capacity: 8)
    _ = try? buffer.fill { memory throws(Errno) in try readNext(file.descriptor, into: memory) }
    return buffer.count > 0 && buffer.span[0] == UInt8(ascii: "Y")
  }

  /// Keeps the calling thread on one CPU. False where the CPU is offline or not the process's to use.
  @discardableResult
  package static func pinThread(to cpu: Int) -> Bool {
    clinux_pin_thread(Int32(cpu)) == 0
  }

  /// eventfd(2) that blocks and closes on exec.
  package static func makeEvent() throws(Errno) -> OwnedDescriptor {
    OwnedDescriptor(owning: Descriptor(rawValue: try call(.open) { clinux_eventfd() }))
  }

  /// Wakes who reads the event.
  package static func wake(_ event: Descriptor) {
    var one: UInt64 = 1
    while Glibc.write(event.rawValue, &one, 8) < 0, Errno.current == .interrupted {}
  }

  /// mmap(2) of zeros. Pages cost nothing until they are used.
  package static func mapMemory(byteCount: Int) throws(Errno) -> UnsafeMutableRawPointer {
    guard
      let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      Int(bitPattern: start) != -1
    else { throw .current }
    return start
  }

  /// munmap(2).
  package static func unmapMemory(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    munmap(start, byteCount)
  }

  /// madvise(2), MADV_DONTNEED: the pages cost nothing again, and hold zeros.
  package static func forgetMemory(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    madvise(start, byteCount, 4)
  }
}
