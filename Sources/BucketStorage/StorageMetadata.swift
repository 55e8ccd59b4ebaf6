internal import Bucket
public import Foundation
internal import SystemCalls

/// The metadata of an object: what an operation returned, or what is to be written.
///
/// Only what was assigned is written by ``StorageReference/updateMetadata(_:ifMetagenerationMatch:)``. A property that was assigned nil is
/// deleted; one that was never assigned is left alone. Read-only properties cannot be assigned.
///
/// An instance may be used on several threads at once; each access is one step.
public final class StorageMetadata: Sendable {
  private let state: Mutex<MetadataState>

  /// Metadata in which nothing is set and nothing was assigned.
  public convenience init() {
    self.init(MetadataState())
  }

  init(_ state: MetadataState) {
    self.state = Mutex(state)
  }

  /// All of it at one moment.
  var snapshot: MetadataState { state.withLock { $0 } }

  // MARK: Read-only properties

  /// The name of the bucket; empty where no operation returned this.
  public var bucket: String { snapshot.facts?.bucket ?? "" }

  /// The number of the object's content: a later content of the name has a higher one. Microseconds since 1970, 0 where
  /// no operation returned this. As an xattr and in JSON it is a decimal string.
  public var generation: Int64 { snapshot.facts?.generation ?? 0 }

  /// The number of the metadata of this generation: 1 at first, and one more with each update. 0 where no operation
  /// returned this. As an xattr and in JSON it is a decimal string.
  public var metageneration: Int64 { snapshot.facts?.metageneration ?? 0 }

  /// The object's path from the root of the bucket, such as `images/forest.jpg`. Nil where no operation returned this.
  public var fullPath: String? { snapshot.facts?.fullPath }

  /// The same as ``fullPath``, by its name in Cloud Storage for Firebase.
  public var path: String? { fullPath }

  /// The last component of the path, such as `forest.jpg`. Nil where no operation returned this.
  public var name: String? { snapshot.facts?.name }

  /// Bytes of content; 0 where no operation returned this.
  public var size: Int64 { snapshot.facts?.size ?? 0 }

  /// When this content was made: the time that ``generation`` counts. Nil where no operation returned this.
  public var timeCreated: Date? { snapshot.facts?.timeCreated }

  /// When content or metadata last changed, never before ``timeCreated``. Nil where no operation returned this.
  public var updated: Date? { snapshot.facts?.updated }

  /// The object that it is about; nil where no operation returned this.
  public var storageReference: StorageReference? { snapshot.reference }

  /// Whether it is about an object. False for what no operation returned.
  public var isFile: Bool { snapshot.facts != nil }

  /// Whether it is about a folder. Always false: folders have no metadata here, as in Cloud Storage.
  public var isFolder: Bool { false }

  // MARK: Writable properties

  /// The MD5 digest of the content: 16 bytes in base64. Computed where it was not set; one that was set is returned until
  /// the content changes. Assigning nil returns to the computed one.
  public var md5Hash: String? {
    get { self[.md5Hash] }
    set { self[.md5Hash] = newValue }
    _modify { yield &self[.md5Hash] }
  }

  /// How the object may be cached, such as `public,max-age=300`: 1 to 4,096 bytes without control characters.
  public var cacheControl: String? {
    get { self[.cacheControl] }
    set { self[.cacheControl] = newValue }
    _modify { yield &self[.cacheControl] }
  }

  /// How the object is to be presented, such as `attachment; filename="forest.jpg"`: 1 to 4,096 bytes without control
  /// characters.
  public var contentDisposition: String? {
    get { self[.contentDisposition] }
    set { self[.contentDisposition] = newValue }
    _modify { yield &self[.contentDisposition] }
  }

  /// The content codings, such as `gzip`: tokens with commas between, 1 to 4,096 bytes.
  public var contentEncoding: String? {
    get { self[.contentEncoding] }
    set { self[.contentEncoding] = newValue }
    _modify { yield &self[.contentEncoding] }
  }

  /// The languages of the content, such as `en` or `de-CH`: tags with commas between, 1 to 100 characters.
  public var contentLanguage: String? {
    get { self[.contentLanguage] }
    set { self[.contentLanguage] = newValue }
    _modify { yield &self[.contentLanguage] }
  }

  /// The media type, such as `image/jpeg`: `type/subtype` with optional parameters, 1 to 4,096 bytes. Where it was never
  /// set it follows from the object's name; once deleted it is nil until it is set again.
  public var contentType: String? {
    get { self[.contentType] }
    set { self[.contentType] = newValue }
    _modify { yield &self[.contentType] }
  }

  /// Entries of one's own; nil where there are none. Keys of 1 to 1,024 bytes, values of 0 to 4,096, together at most
  /// 8,192 bytes.
  ///
  /// Once assigned, an update sets the entries that are here, and deletes those that were here when the metadata was read
  /// and are missing now; others stay. Assigning nil deletes all.
  public var customMetadata: [String: String]? {
    get { snapshot.custom }
    set { state.withLock { $0.assign(custom: newValue) } }
    _modify {
      let before = snapshot.custom
      var value = before
      defer {
        // `metadata.customMetadata?["key"] = value` writes nil back where there was nothing to change.
        if before != nil || value != nil { state.withLock { $0.assign(custom: value) } }
      }
      yield &value
    }
  }

  private subscript(property: WritableProperty) -> String? {
    get { snapshot.values[property] }
    set { state.withLock { $0.assign(property, newValue) } }
    _modify {
      let before = snapshot.values[property]
      var value = before
      defer {
        if before != nil || value != nil { state.withLock { $0.assign(property, value) } }
      }
      yield &value
    }
  }

  /// Metadata of its own with the same content, of which the same was assigned.
  public func copy() -> StorageMetadata {
    StorageMetadata(snapshot)
  }
}

extension StorageMetadata: Equatable, CustomStringConvertible {
  /// Whether all properties are equal.
  public static func == (left: StorageMetadata, right: StorageMetadata) -> Bool {
    let (left, right) = (left.snapshot, right.snapshot)
    return left.facts == right.facts && left.values == right.values && left.custom == right.custom
  }

  /// The properties, for people.
  public var description: String {
    let members = dictionaryRepresentation().sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "StorageMetadata(\(members.joined(separator: ", ")))"
  }
}
