internal import CLinux
internal import Glibc

/// What a service tells the one who started it.
extension System {
  /// Sends `state` to the socket that NOTIFY_SOCKET names, if there is one: systemd's way to learn that a service is
  /// ready. Nobody waits for the answer, and without a listener nothing happens.
  ///
  /// Source: sd_notify(3).
  package static func notifyServiceManager(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else { return }
    _ = clinux_notify(path, state)
  }
}
