#if FAULT_INJECTION
  import Bucket
  import SystemCalls

  /// Lets each system call of a change fail in turn, and says where a failed change left anything but the old state, or a
  /// successful one anything but the new.
  struct Faults {
    let store: BucketStore

    /// A change and the state that it starts from.
    private struct Scenario {
      var name: String
      var plain: [(name: String, value: String)] = []
      var prepare: (inout Record) -> Void = { _ in }
      var change: (inout Record) -> Void
    }

    private static func fill(_ record: inout Record) {
      for index in 0..<8 {
        record.setCustom(StoreWorker.entry("key-\(index)", String(repeating: "v", count: 1000)))
      }
    }

    private let scenarios = [
      Scenario(name: "first change") { $0.setCustom(StoreWorker.entry("k", "v")) },
      Scenario(name: "second change", prepare: { $0.setCustom(StoreWorker.entry("k", "old")) }) {
        $0.setCustom(StoreWorker.entry("k", "new"))
      },
      Scenario(name: "overflow", prepare: { $0.setCustom(StoreWorker.entry("k", "old")) }) { fill(&$0) },
      Scenario(name: "back from overflow", prepare: { fill(&$0) }) { $0.custom.removeLast(7) },
      Scenario(name: "adoption", plain: [("user.p", "1"), ("user.contentType", "image/png")]) {
        $0.setCustom(StoreWorker.entry("k", "v"))
      },
      Scenario(name: "removal of what was adopted", plain: [("user.p", "1"), ("user.q", "2")]) {
        $0.custom.removeFirst()
      },
      Scenario(name: "adoption into overflow", plain: [("user.p", "1"), ("user.q", "2")]) {
        $0.custom.removeFirst()
        for index in 0..<7 {
          $0.setCustom(StoreWorker.entry("key-\(index)", String(repeating: "v", count: 1000)))
        }
      },
    ]

    func walk() throws {
      var walked = 0
      for scenario in scenarios {
        for errno in [Errno.ioError, .noSpace, .permissionDenied] {
          var skip = 0
          while try attempt(scenario, skip, errno) { skip += 1 }
          walked += skip
        }
      }
      StoreWorker.say("walked \(walked)")
    }

    /// Lets the call after `skip` others fail. Returns whether there was one.
    private func attempt(_ scenario: Scenario, _ skip: Int, _ errno: Errno) throws -> Bool {
      let name = Array("object".utf8)
      try? System.unlink(name.span, in: store.root)
      _ = try System.open(name.span, in: store.root, [.writeOnly, .create, .exclusive], mode: 0o644)
      let object = try StoreWorker.open("object", in: store)
      for (name, value) in scenario.plain {
        let name = Array(name.utf8)
        let value = Array(value.utf8)
        try System.setXattr(name.span, of: object.descriptor, to: value.span)
      }
      if scenario.plain.isEmpty {
        try change(object.descriptor, scenario.prepare)
      }
      let before = try store.metadata(of: object.descriptor, content: .closed)
      var expected = before
      scenario.change(&expected)

      FaultPlan.set(FaultPlan.Fault(skip: skip, count: 1, errno: errno))
      var failure: StoreError?
      do throws(ChangeError<Never>) {
        try change(object.descriptor, scenario.change)
      } catch {
        if case .store(let reason) = error { failure = reason }
      }
      let isUsed = FaultPlan.set(nil)?.count == 0

      let after = try store.metadata(of: object.descriptor, content: .closed)
      let place = "\(scenario.name), call \(skip), \(errno): \(failure.map { "\($0)" } ?? "no error")"
      if failure != nil {
        if after != before { StoreWorker.say("not the old state: \(place)") }
      } else {
        expected.version = after.version
        if after != expected || after.metageneration != before.metageneration + 1 {
          StoreWorker.say("not the new state: \(place)")
        }
      }
      return isUsed
    }

    private func change(_ object: Descriptor, _ body: (inout Record) -> Void) throws(ChangeError<Never>) {
      try store.change(object, content: .closed) { (record, _) throws(Never) in
        body(&record)
        return true
      }
    }
  }
#endif
