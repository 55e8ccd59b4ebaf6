/// What is stored of one object, as it was read in one moment: places in the `MetadataScratch` that it was read with.
package struct StoredMetadata: Sendable {
  /// The record, nil where there is none.
  let record: RecordView?
  /// Whether the backing file has xattrs of other programs that count as metadata.
  let hasPlain: Bool
  /// The fixed properties among those, by their indices' bits.
  let plainProperties: UInt8
}
