/// Who makes a request, as the kernel says in its header.
package struct Caller: Sendable {
  /// The file system user and group of the calling thread.
  package let user: UInt32
  package let group: UInt32
  /// The calling thread, 0 where there is none to name (write-back, another pid namespace).
  package let thread: Int32
  /// The calling process's umask, where the request carries one.
  package let umask: UInt32

  package init(user: UInt32, group: UInt32, thread: Int32, umask: UInt32) {
    self.user = user
    self.group = group
    self.thread = thread
    self.umask = umask
  }
}
