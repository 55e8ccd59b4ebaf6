internal import CLinux
internal import Glibc

/// Messages to whoever runs the process. Failures are ignored: there is nobody to tell.
extension System {
  /// Writes `text` to standard error in one write(2).
  package static func writeStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      _ = Glibc.write(2, bytes.baseAddress, bytes.count)
    }
  }

  /// syslog(3) of the daemon facility, with `priority` 0 (emergency) to 7 (debug).
  package static func syslog(priority: Int32, _ line: String) {
    clinux_syslog(priority, line)
  }
}
