internal import SystemCalls

extension Errno {
  /// The kernel's words, and what stands behind them where a mount's daemon has died.
  var explained: String {
    self == .notConnected || self == .connectionAborted
      ? "\(self): the daemon of the mount has ended, mount again" : "\(self)"
  }
}
