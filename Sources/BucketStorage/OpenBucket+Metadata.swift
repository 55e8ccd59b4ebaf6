internal import Bucket
internal import Foundation
internal import SystemCalls

/// Reading and updating metadata.
extension OpenBucket {
  /// The metadata of an object; nil where its digest would have to be computed and `hashing` forbids that.
  func metadata(
    of reference: StorageReference, hashing: Bool, isCancelled: () -> Bool = { false }
  ) throws(StorageError) -> StorageMetadata? {
    var found: MetadataState?
    var before: FileStatus?
    let opened: OwnedDescriptor?
    do throws(ObjectError) {
      if known.remembers(reference.path) {
        opened = try store.open(reference.path) { status in
          before = status
          found = known.metadata(of: reference, status)
          return found != nil
        }
      } else {
        opened = try store.open(reference.path, noting: &before)
      }
    } catch {
      throw failure(error, reference)
    }
    guard let file = opened else { return found.map(StorageMetadata.init) }
    return try metadata(of: file.descriptor, reference, since: before, hashing: hashing, isCancelled: isCancelled)
  }

  /// The metadata of an object that is open; nil where its content changes while it is read.
  func metadata(of object: OpenedObject, _ reference: StorageReference) throws(StorageError) -> StorageMetadata? {
    try metadata(of: object.descriptor, reference, since: nil, hashing: true) { false }
  }

  /// Opens an object, as `BucketStore.open` does.
  func open(_ reference: StorageReference) throws(StorageError) -> OwnedDescriptor {
    do throws(ObjectError) {
      return try store.open(reference.path)
    } catch {
      throw failure(error, reference)
    }
  }

  /// The error that the caller gets.
  func failure(_ error: ObjectError, _ reference: StorageReference) -> StorageError {
    switch error {
    case .notFound, .system(.noSuchFileOrDirectory): if let gone = gone(reference) { return gone }
    default: break
    }
    return StorageError(error, reference.context)
  }

  /// The error where the bucket's directory was removed, nil where it is there. The next operation looks for it anew.
  func gone(_ reference: StorageReference) -> StorageError? {
    guard let root = try? System.status(of: store.root), root.linkCount == 0 else { return nil }
    reference.storage.forget(self)
    return .bucketNotFound(bucket: reference.bucket, serverError: reference.context.details())
  }

  /// The metadata of an opened object, of which `before` was the status at some time before it was opened.
  private func metadata(
    of file: Descriptor, _ reference: StorageReference, since before: FileStatus?, hashing: Bool,
    isCancelled: () -> Bool
  ) throws(StorageError) -> StorageMetadata? {
    if let metadata = try read(file, reference, since: before, digest: nil) { return metadata }
    guard hashing else { return nil }
    let digest: ContentDigest
    do throws(HashError) {
      digest = try hasher.digest(of: file, content: .closed, isCancelled: isCancelled)
    } catch {
      throw StorageError(error, reference.context)
    }
    // The digest may be that of a content before the one that is there by now.
    return try read(file, reference, since: nil, digest: digest.digest)
  }

  /// Reads all of an object's metadata, and remembers it if nothing changed since `before`; nil where its digest is not
  /// known.
  private func read(
    _ file: Descriptor, _ reference: StorageReference, since before: FileStatus?, digest: MD5Digest?
  ) throws(StorageError) -> StorageMetadata? {
    do throws(StoreError) {
      let state = try store.state(of: file, isFolder: false, content: .closed)
      let metadata = try metadata(state, ObjectReference(file: file, kind: .object), reference, digest)
      if let before, let metadata { known.remember(metadata.snapshot, of: reference, before, state.status) }
      return metadata
    } catch {
      throw StorageError(error, reference.context)
    }
  }

  /// Metadata as the caller gets it; nil where the digest is not known.
  private func metadata(
    _ state: ObjectState, _ object: ObjectReference, _ reference: StorageReference, _ digest: MD5Digest?
  ) throws(StoreError) -> StorageMetadata? {
    let record = state.record
    let values = try withMemory { memory throws(StoreError) -> [WritableProperty: String]? in
      var values: [WritableProperty: String] = [:]
      for property in WritableProperty.allCases {
        memory.text.removeAll()
        if case .value(let bytes) = record[property] {
          memory.text.append(bytes.span)
        } else if property == .md5Hash {
          guard let digest = digest ?? hasher.remembered(state.status) else { return nil }
          memory.text.append(base64: digest)
        } else {
          let answer = try reader.append(
            Property.row(of: property), record, of: object, reference.path, &memory.name, to: &memory.text)
          guard answer == .value else { continue }
        }
        values[property] = memory.text.string
      }
      return values
    }
    guard let values else { return nil }
    var custom: [String: String] = [:]
    for entry in record.textEntries {
      custom[String(decoding: entry.key, as: UTF8.self)] = String(decoding: entry.value, as: UTF8.self)
    }
    let facts = MetadataState.Facts(
      bucket: reference.bucket, fullPath: reference.fullPath, name: reference.name,
      generation: Int64(clamping: record.generation), metageneration: Int64(clamping: record.metageneration),
      size: Int64(clamping: record.pin.size), timeCreated: Date(microseconds: record.generation),
      updated: Date(microseconds: record.updated))
    return StorageMetadata(MetadataState(facts, of: reference, values: values, custom: custom.isEmpty ? nil : custom))
  }

  /// What became of an update.
  enum UpdateOutcome {
    /// It has happened.
    case done(StorageMetadata)
    /// It has happened to this object, whose new metadata has to be read, because the digest must be computed: of the
    /// object, not of what has its name by then.
    case unread(OpenedObject)
    /// It has not begun, since it would have to wait.
    case waits
  }

  /// Why an update that has begun does not happen.
  private enum Refusal: Error {
    case metadata(MetadataError)
    case needsDigest
  }

  /// Makes one change of metadata. Where `waiting` is false it waits neither for a lock nor for a digest.
  func update(
    _ reference: StorageReference, _ patch: MetadataPatch, verifying: Bool, waiting: Bool
  ) throws(StorageError) -> UpdateOutcome {
    do throws(MetadataError) {
      try patch.checkValues()
      try patch.checkText()
    } catch {
      throw StorageError(error, reference.context)
    }
    let file = OpenedObject(try open(reference))
    var digest: ContentDigest?
    while true {
      let outcome = try update(file, reference, patch, verifying: verifying, waiting: waiting, digest)
      guard waiting, case .waits = outcome else { return outcome }
      do throws(HashError) {
        digest = try hasher.digest(of: file.descriptor, content: .closed)
      } catch {
        throw StorageError(error, reference.context)
      }
    }
  }

  private func update(
    _ object: OpenedObject, _ reference: StorageReference, _ patch: MetadataPatch, verifying: Bool, waiting: Bool,
    _ digest: ContentDigest?
  ) throws(StorageError) -> UpdateOutcome {
    let file = object.descriptor
    let change = MetadataChange.patch(patch)
    let state: ObjectState
    do throws(ChangeError<Refusal>) {
      state = try store.change(file, content: .closed, waiting: waiting) { record, status throws(Refusal) in
        if verifying, let text = change.digest {
          let known = digest.flatMap { $0.pin == Pin(status) ? $0.digest : nil } ?? hasher.remembered(status)
          guard let known else { throw .needsDigest }
          guard MD5Digest(base64: text.span) == known else { throw .metadata(.digestMismatch) }
        }
        do throws(MetadataError) {
          return try record.make(change, status: status)
        } catch {
          throw .metadata(error)
        }
      }
    } catch {
      switch error {
      case .refused(.needsDigest): return .waits
      case .store(.locked) where !waiting: return .waits
      case .refused(.metadata(let reason)): throw StorageError(reason, reference.context)
      case .store(let reason): throw StorageError(reason, reference.context)
      }
    }
    // While the digest is still known under the status from before.
    let updated: StorageMetadata?
    do throws(StoreError) {
      updated = try metadata(state, ObjectReference(file: file, kind: .object), reference, nil)
    } catch {
      throw StorageError(error, reference.context)
    }
    hasher.noteOwnChange(of: file, from: state.status)
    return updated.map { .done($0) } ?? .unread(object)
  }
}

extension MetadataPatch {
  /// Throws where a custom entry could not be given back as text: JSON and C know no NUL in it.
  func checkText() throws(MetadataError) {
    guard case .merge(let entries) = customMetadata else { return }
    for (key, value) in entries where key.contains(0) || value?.contains(0) == true {
      throw .value(.controlCharacter)
    }
  }
}

extension ByteBuffer {
  /// The content as text.
  fileprivate var string: String { String(decoding: span.array, as: UTF8.self) }
}
