/// What is stored of one object, as it was read in one moment: places in the `MetadataScratch` that it was read with.
package struct StoredMetadata: Sendable {
  /// The record, nil where there is none.
  package let record: RecordView?
  /// Whether the backing file has xattrs of other programs that count as metadata.
  package let hasPlain: Bool
}
