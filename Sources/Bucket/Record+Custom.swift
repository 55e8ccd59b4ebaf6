internal import SystemCalls

/// Custom metadata by key.
extension Record {
  /// The place of `key`, or the place where it belongs.
  private func place(of key: Span<UInt8>) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = custom.count
    while low < high {
      let middle = (low + high) / 2
      let candidate = custom[middle].key
      if candidate.span.order(to: key) < 0 { low = middle + 1 } else { high = middle }
    }
    guard low < custom.count else { return (low, false) }
    let candidate = custom[low].key
    return (low, candidate.span.equals(key))
  }

  /// The value of an entry, nil where there is none.
  package func customValue(_ key: Span<UInt8>) -> [UInt8]? {
    let (index, isFound) = place(of: key)
    return isFound ? custom[index].value : unadopted.first { $0.hasKey(key) }?.value
  }

  /// Whether the record itself has an entry.
  package func storesCustom(_ key: Span<UInt8>) -> Bool {
    place(of: key).isFound
  }

  /// Sets an entry, whose lengths must be within the limits. Whether the total still is, `customTotal` tells.
  package mutating func setCustom(_ entry: CustomEntry) {
    let (index, isFound) = place(of: entry.key.span)
    if isFound { custom[index] = entry } else { custom.insert(entry, at: index) }
    let key = entry.key
    unadopted.removeAll { $0.hasKey(key.span) }
  }

  /// Removes an entry. Returns whether there was one.
  @discardableResult
  package mutating func removeCustom(_ key: Span<UInt8>) -> Bool {
    let (index, isFound) = place(of: key)
    if isFound { custom.remove(at: index) }
    let before = unadopted.count
    unadopted.removeAll { $0.hasKey(key) }
    return isFound || unadopted.count < before
  }

  /// Bytes of all keys and values of the record together.
  package var customTotal: Int {
    custom.reduce(0) { $0 + $1.count }
  }
}
