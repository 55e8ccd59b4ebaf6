/// Work on several things, of which one that fails does not keep the others from being done.
enum Failures {
  /// Calls `body` for each item, says each failure, and at the end fails if there was one.
  static func collect<Item>(
    _ items: [Item], _ body: (Item) throws(Command.Failure) -> Void
  ) throws(Command.Failure) {
    var failed = false
    for item in items {
      do throws(Command.Failure) {
        try body(item)
      } catch {
        switch error {
        case .failed(let message): Command.complain(message)
        case .said: break
        case .usage, .interrupted: throw error
        }
        failed = true
      }
    }
    if failed { throw .said(1) }
  }
}
