extension Property {
  /// Throws where `value` cannot be stored as this property, one that has a rule.
  package func check(_ value: Span<UInt8>) throws(MetadataError) {
    guard let rule else { throw .readOnlyProperty }
    do throws(ValueError) {
      try rule.check(value)
    } catch {
      throw .value(error)
    }
  }
}
