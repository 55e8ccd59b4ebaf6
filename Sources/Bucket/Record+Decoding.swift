internal import SystemCalls

/// A record from bytes that were validated.
extension Record {
  /// Decodes a record that is whole.
  package init(decoding bytes: Span<UInt8>) throws(RecordError) {
    let view = try RecordView(validating: bytes)
    guard view.overflow == nil else { throw .damaged }
    self.init(view, in: bytes)
  }

  /// Copies what `view` shows of `bytes`.
  package init(_ view: RecordView, in bytes: Span<UInt8>) {
    self.init(version: view.version)
    md5IsProvisional = view.md5IsProvisional
    for property in StoredProperty.allCases {
      if let range = view.range(of: property) {
        self[property] = .value(bytes.extracting(range).array)
      } else if view.isRemoved(property) {
        self[property] = .removed
      }
    }
    custom.reserveCapacity(view.customCount)
    view.forEachCustom(in: bytes) { key, value in
      custom.append(CustomEntry(key: bytes.extracting(key).array, value: bytes.extracting(value).array))
    }
    custom.sort { $0.key.span.order(to: $1.key.span) < 0 }
  }
}
