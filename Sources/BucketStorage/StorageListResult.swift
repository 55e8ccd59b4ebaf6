/// What was found in a folder.
public struct StorageListResult: Sendable {
  /// The folders in it, in the order of their names' bytes. One without objects is there too.
  public let prefixes: [StorageReference]
  /// The objects in it, in the order of their names' bytes.
  public let items: [StorageReference]
  /// What ``StorageReference/list(maxResults:pageToken:)`` takes to go on; nil where nothing follows.
  public let pageToken: String?
}
