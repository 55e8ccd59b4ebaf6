import Bucket
import Glibc
import SystemCalls

/// A process of its own that works on a bucket, for the tests of many processes, of crashes and of failing calls.
///
/// `store-worker count BUCKET NAME ID CHANGES` adds to a counter, `store-worker crash BUCKET SEED` changes objects until
/// it is killed and says on standard output what it has begun and done, `store-worker faults BUCKET` lets every system
/// call of a change fail once.
@main
enum StoreWorker {
  static func main() throws {
    let arguments = CommandLine.arguments
    let store = try BucketStore.open(Array(arguments[2].utf8).span)
    Log.configure(level: .error)
    switch arguments[1] {
    case "count": try count(store, name: arguments[3], id: arguments[4], changes: Int(arguments[5])!)
    case "crash": try crash(store, seed: UInt64(arguments[3])!)
    #if FAULT_INJECTION
      case "faults": try Faults(store: store).walk()
    #endif
    default: exit(2)
    }
  }

  /// Opens an object as the daemon does.
  static func open(_ name: String, in store: BucketStore) throws -> OwnedDescriptor {
    let name = Array(name.utf8)
    return try System.open(name.span, in: store.root, [.path, .noFollow])
  }

  static func entry(_ key: String, _ value: String) -> CustomEntry {
    CustomEntry(key: Array(key.utf8), value: Array(value.utf8))
  }

  static func text(_ record: Record, _ key: String) -> String? {
    let key = Array(key.utf8)
    return record.customValue(key.span).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Adds one to the counter of `id` and to that of all, `changes` times.
  static func count(_ store: BucketStore, name: String, id: String, changes: Int) throws {
    let object = try open(name, in: store)
    for _ in 0..<changes {
      try store.change(object.descriptor, content: .closed) { record, _ in
        for key in [id, "all"] {
          record.setCustom(entry(key, "\(Int(text(record, key) ?? "0")! + 1)"))
        }
        return true
      }
    }
  }

  /// Changes `object-0` to `object-7` in turn, each change with a number and a load of a size that follows from it, and
  /// a new object with plain xattrs after each turn.
  static func crash(_ store: BucketStore, seed: UInt64) throws {
    var number = seed
    while true {
      for index in 0..<8 {
        number += 1
        let object = try open("object-\(index)", in: store)
        say("begin \(index) \(number)")
        try store.change(object.descriptor, content: .closed) { record, _ in
          record.custom = []
          record.setCustom(entry("number", "\(number)"))
          for part in 0..<2 {
            record.setCustom(entry("load-\(part)", String(repeating: "x", count: Int(number &* 2_654_435_761 % 3900))))
          }
          return true
        }
        say("done \(index) \(number)")
      }
      try adopt(store, "plain-\(number)")
    }
  }

  /// Makes an object that another program has given xattrs, and removes one of them.
  private static func adopt(_ store: BucketStore, _ name: String) throws {
    let bytes = Array(name.utf8)
    _ = try System.open(bytes.span, in: store.root, [.writeOnly, .create, .exclusive], mode: 0o644)
    let object = try open(name, in: store)
    for key in ["user.gone", "user.kept"] {
      let key = Array(key.utf8)
      let value = Array("plain".utf8)
      try System.setXattr(key.span, of: object.descriptor, to: value.span)
    }
    say("begin \(name) 1")
    try store.change(object.descriptor, content: .closed) { record, _ in
      let key = Array("gone".utf8)
      return record.removeCustom(key.span)
    }
    say("done \(name) 1")
  }

  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
