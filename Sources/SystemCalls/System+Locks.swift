internal import CLinux
internal import Glibc

/// Locks between processes.
extension System {
  /// Takes the OFD write lock of one byte of `file` if it is free, F_OFD_SETLK. False where another open file
  /// description has it.
  ///
  /// The lock belongs to the open file description: threads that share the descriptor do not exclude each other.
  package static func tryLockByte(_ offset: Int64, of file: Descriptor) throws(Errno) -> Bool {
    try tryLock(offset..<offset + 1, of: file)
  }

  /// Takes the OFD write lock of all bytes of a range if all are free.
  package static func tryLock(_ bytes: Range<Int64>, of file: Descriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try call(.lock) {
        clinux_ofd_setlk(file.rawValue, Int16(F_WRLCK), off_t(bytes.lowerBound), off_t(bytes.count))
      }
      return true
    } catch .resourceTemporarilyUnavailable {
      return false
    } catch .permissionDenied {
      return false
    }
  }

  /// Gives up what `tryLockByte` took.
  package static func unlockByte(_ offset: Int64, of file: Descriptor) {
    unlock(offset..<offset + 1, of: file)
  }

  /// Gives up what `tryLock` took.
  package static func unlock(_ bytes: Range<Int64>, of file: Descriptor) {
    _ = clinux_ofd_setlk(file.rawValue, Int16(F_UNLCK), off_t(bytes.lowerBound), off_t(bytes.count))
  }

  /// Sleeps for `nanoseconds`, below a second, or until a signal arrives.
  package static func sleep(nanoseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    nanosleep(&time, nil)
  }
}
