internal import SystemCalls

/// An xattr of a backing file that stands for a property or an entry and is not in the record.
struct PlainAttribute {
  /// The xattr's name.
  let name: [UInt8]
  /// What it stands for; never `ignored`.
  let meaning: PlainName
  let value: [UInt8]

  /// The key of the entry, nil where it is a fixed property.
  var key: [UInt8]? {
    if case .custom(let range) = meaning { Array(name[range]) } else { nil }
  }

  /// Whether `record` says anything of it, so that this is not seen.
  func isShadowed(by record: Record) -> Bool {
    switch meaning {
    case .property(let property): record[property] != .unset
    case .custom(let range): record.storesCustom(name.span.extracting(range))
    case .ignored: true
    }
  }
}
