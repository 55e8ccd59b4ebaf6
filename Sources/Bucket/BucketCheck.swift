internal import SystemCalls

/// Looks through a bucket for what is wrong with its metadata, and removes the overflow files that nobody needs.
///
/// Nothing else is ever removed or changed: a damaged record may be all that is left of somebody's metadata.
package struct BucketCheck {
  /// How long after it was written a file is left alone: a change that has written it may not have referred to it yet,
  /// nor a copy from a backup.
  package static let grace: Int64 = 3600

  private let store: BucketStore
  private let report: (BucketFinding) -> Void
  private let visited: () -> Void

  /// Checks the bucket of `store`; `report` gets each finding, `visited` is called for each object and folder. With `repair`, what nobody needs is removed, which a
  /// read-only bucket does not allow.
  package static func run(
    _ store: BucketStore, repair: Bool, visited: () -> Void = {}, report: (BucketFinding) -> Void
  ) throws(StoreError) {
    if repair && store.isReadOnly { throw .readOnlyBucket }
    let result = withoutActuallyEscaping(report) { report -> Result<Void, StoreError> in
      withoutActuallyEscaping(visited) { visited in
        do throws(StoreError) {
          return .success(try BucketCheck(store: store, report: report, visited: visited).run(repair: repair))
        } catch {
          return .failure(error)
        }
      }
    }
    try result.get()
  }

  private func run(repair: Bool) throws(StoreError) {
    var referenced: Set<[UInt8]> = []
    BucketWalk.run(store.root) { item in
      if let name = overflowName(of: item) { referenced.insert(name) }
      check(item)
      visited()
    } fail: { name, reason in
      report(BucketFinding(name: name, problem: .unreadable(reason)))
    }
    try checkFolder(referenced, repair: repair)
  }

  /// The name of the overflow file to which the item's record refers.
  private func overflowName(of item: BucketWalk.Item) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: Limits.record)
    guard (try? store.readAttribute(of: item.descriptor, into: &buffer)) == true,
      let view = try? RecordView(validating: buffer.span), let name = view.overflow
    else { return nil }
    return buffer.span.extracting(name).array
  }

  // MARK: Objects

  private func check(_ item: BucketWalk.Item) {
    if !item.status.isDirectory, Self.isRefused(item.name) {
      report(BucketFinding(name: item.name, problem: .refusedName))
    }
    do throws(StoreError) {
      let metadata = try store.metadata(of: item.descriptor, content: .closed)
      var buffer = ByteBuffer(capacity: Limits.record)
      let plain = try store.plainAttributes(of: item.descriptor, isFolder: item.status.isDirectory, &buffer)
      let overLimits = metadata.unadopted.map(\.key)
      let waiting = plain.filter { $0.key.map { !overLimits.contains($0) } ?? true }.map(\.name)
      let refused = (metadata.custom + metadata.unadopted).filter { !Self.isHeader($0) }.map(\.key)
      for (names, problem) in [
        (waiting, BucketFinding.Problem.notTakenIn(waiting)), (overLimits, .overLimits(keys: overLimits)),
        (refused, .refusedKeys(refused)),
      ] where !names.isEmpty {
        report(BucketFinding(name: item.name, problem: problem))
      }
    } catch {
      report(BucketFinding(name: item.name, problem: error.finding))
    }
  }

  /// Whether Cloud Storage takes no object of that name.
  static func isRefused(_ name: [UInt8]) -> Bool {
    name.count > 1024 || name.contains(10) || name.contains(13) || !name.span.isUTF8
      || name.starts(with: Array(".well-known/acme-challenge/".utf8))
  }

  /// Whether Cloud Storage can send the entry as `x-goog-meta-KEY: VALUE`: the key a token of RFC 9110, the value
  /// without control characters.
  static func isHeader(_ entry: CustomEntry) -> Bool {
    let isToken = entry.key.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
    return isToken && !entry.value.contains { $0 < 0x20 || $0 == 0x7f } && entry.value.span.isUTF8
  }

  // MARK: The folder of bucketfs

  private func checkFolder(_ referenced: Set<[UInt8]>, repair: Bool) throws(StoreError) {
    var candidates: [[UInt8]] = []
    do throws(Errno) {
      guard let folder = try store.folder.directory(make: false) else { return }
      for name in try BucketWalk.entries(of: folder.descriptor) {
        if name == PrivateFolder.lockName.bytes.array || referenced.contains(name) { continue }
        // Uploads that go on, and what is left of those that were killed: nothing refers to them.
        if name == PrivateFolder.uploadsName.bytes.array { continue }
        if repair, problem(of: name) != .foreign, isOld(name, folder.descriptor) {
          candidates.append(name)
        } else {
          report(finding(name))
        }
      }
    } catch {
      throw .system(error)
    }
    if !candidates.isEmpty { try remove(candidates) }
  }

  /// Removes what is still not referred to, under the bucket's lock.
  ///
  /// The first walk may have missed a file that was moved meanwhile. A change that refers to one of the files makes it
  /// anew, so that its mtime tells, and the second walk needs no lock; but in a sticky folder it cannot replace another
  /// user's file.
  private func remove(_ candidates: [[UInt8]]) throws(StoreError) {
    let isSticky = try store.status(of: store.root).mode & 0o1000 != 0
    let rest = isSticky ? candidates : unreferenced(candidates)
    try store.locks.withBucketLock(orElse: { $0 }) { () throws(StoreError) in
      let rest = isSticky ? unreferenced(rest) : rest
      do throws(Errno) {
        guard let folder = try store.folder.directory(make: false) else { return }
        for name in rest where isOld(name, folder.descriptor) {
          try System.unlink(name.span, in: folder.descriptor)
          var finding = finding(name)
          finding.isRepaired = true
          report(finding)
        }
      } catch {
        throw .system(error)
      }
    }
  }

  private func unreferenced(_ candidates: [[UInt8]]) -> [[UInt8]] {
    var referenced: Set<[UInt8]> = []
    BucketWalk.run(store.root) { item in
      if let name = overflowName(of: item) { referenced.insert(name) }
    } fail: { _, _ in
    }
    return candidates.filter { !referenced.contains($0) }
  }

  private func finding(_ name: [UInt8]) -> BucketFinding {
    BucketFinding(name: PrivateFolder.name.bytes.array + [UInt8(ascii: "/")] + name, problem: problem(of: name))
  }

  /// What a file in `.bucketfs` is to which nothing refers.
  private func problem(of name: [UInt8]) -> BucketFinding.Problem {
    if OverflowName.isValid(name.span) { return .unreferenced }
    let isTemporary =
      name.count > OverflowName.length && OverflowName.isValid(name.span.extracting(first: OverflowName.length))
    return isTemporary ? .leftOver : .foreign
  }

  private func isOld(_ name: [UInt8], _ folder: Descriptor) -> Bool {
    guard let status = try? System.status(of: name.span, in: folder), status.isRegular else { return false }
    return status.modified.seconds < Clock.now.seconds - Self.grace
  }
}

extension StoreError {
  /// What `check` says of it.
  var finding: BucketFinding.Problem {
    if case .system(let reason) = self { .unreadable(reason) } else { .record(self) }
  }
}
