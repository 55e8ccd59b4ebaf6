internal import CLinux
internal import Glibc

/// Changes that others make on a filesystem: fanotify(7).
extension System {
  /// fanotify_init(2): a watch, of nothing yet. EPERM without CAP_SYS_ADMIN, EINVAL before Linux 5.17.
  package static func openWatch() throws(Errno) -> OwnedDescriptor {
    OwnedDescriptor(owning: Descriptor(rawValue: try call(.watch) { clinux_watch_open() }))
  }

  /// fanotify_mark(2): the watch tells from now on of everything on the filesystem that holds `folder`. Throws where
  /// that filesystem cannot tell which file an event is of.
  package static func watch(_ watch: Descriptor, fileSystemOf folder: Descriptor) throws(Errno) {
    _ = try call(.watch) { clinux_watch_add(watch.rawValue, ChangeEvent.Kinds.watched.rawValue, folder.rawValue) }
  }

  /// Reads what a watch has to tell, as many `ChangeEvent`s as fit; nothing where there is none.
  package static func readEvents(_ watch: Descriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try call(.read, unless: .resourceTemporarilyUnavailable) {
      Glibc.read(watch.rawValue, buffer.baseAddress, buffer.count)
    } ?? 0
  }

  /// open_by_handle_at(2) with O_PATH. ESTALE for a file that is gone; needs CAP_DAC_READ_SEARCH.
  ///
  /// - Parameter folder: any folder of the same filesystem, not opened with O_PATH.
  package static func open(handle: Span<UInt8>, onFileSystemOf folder: Descriptor) throws(Errno) -> OwnedDescriptor {
    let number = try handle.withUnsafeBytes { bytes throws(Errno) in
      try call(.open) {
        clinux_open_by_handle(folder.rawValue, bytes.baseAddress, clinux_o_path | O_NOFOLLOW | O_CLOEXEC)
      }
    }
    return OwnedDescriptor(owning: Descriptor(rawValue: number))
  }

  /// name_to_handle_at(2): the `struct file_handle` of an open file.
  package static func handle(of file: Descriptor) throws(Errno) -> ByteBuffer {
    var buffer = ByteBuffer(capacity: 8 + 128)
    try buffer.fill { memory throws(Errno) in
      Int(try call(.open) { clinux_handle_of(file.rawValue, memory.baseAddress, 128) })
    }
    return buffer
  }

  /// The number by which events name the filesystem of `folder`, statfs's `f_fsid`.
  package static func fileSystemNumber(of folder: Descriptor) throws(Errno) -> UInt64 {
    var status = statfs()
    _ = try call(.statfs) { fstatfs(folder.rawValue, &status) }
    return withUnsafeBytes(of: &status.f_fsid) { $0.loadUnaligned(as: UInt64.self) }
  }

  /// Which of the descriptors that `wait` waited for had something to tell.
  package struct Ready: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package static let events = Ready(rawValue: 1)
    package static let stop = Ready(rawValue: 2)
    package static let mounts = Ready(rawValue: 4)
  }

  /// poll(2) until there are events, `stop` was woken, the table of mounts behind `mounts` changed, or the time is over.
  ///
  /// - Parameter milliseconds: nil to wait for ever.
  package static func wait(
    events: Descriptor, stop: Descriptor, mounts: Descriptor, milliseconds: Int32?
  ) -> Ready {
    let ready = clinux_wait(events.rawValue, stop.rawValue, mounts.rawValue, milliseconds ?? -1)
    return ready < 0 ? [] : Ready(rawValue: ready)
  }

  /// The content of an open file from its beginning on, which /proc makes anew.
  package static func readAgain(_ file: Descriptor) throws(Errno) -> [UInt8] {
    try seek(file, to: 0, from: .start)
    var bytes: [UInt8] = []
    var buffer = ByteBuffer(capacity: 1 << 16)
    while try buffer.fill({ memory throws(Errno) in try readNext(file, into: memory) }) > 0 {
      buffer.span.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return bytes
  }
}
