internal import Bucket
internal import Foundation
internal import SystemCalls

/// Reading and updating metadata.
extension OpenBucket {
  /// The metadata of an object; nil where its digest would have to be computed and `hashing` forbids that.
  func metadata(
    of reference: StorageReference, hashing: Bool, isCancelled: () -> Bool = { false }
  ) throws(StorageError) -> StorageMetadata? {
    let file = try open(reference)
    return try metadata(of: file.descriptor, reference, hashing: hashing, isCancelled: isCancelled)
  }

  /// Opens an object with O_PATH.
  func open(_ reference: StorageReference) throws(StorageError) -> OwnedDescriptor {
    do throws(ObjectError) {
      return try store.open(reference.path)
    } catch {
      throw failure(error, reference)
    }
  }

  /// The error that the caller gets.
  func failure(_ error: ObjectError, _ reference: StorageReference) -> StorageError {
    if error == .notFound, let root = try? System.status(of: store.root), root.linkCount == 0 {
      return .bucketNotFound(bucket: reference.bucket, serverError: reference.context.details())
    }
    return StorageError(error, reference.context)
  }

  func metadata(
    of file: Descriptor, _ reference: StorageReference, hashing: Bool, isCancelled: () -> Bool
  ) throws(StorageError) -> StorageMetadata? {
    let object = ObjectReference(file: file, kind: .object)
    let state: MetadataState?
    do throws(StoreError) {
      state = try withMemory { memory throws(StoreError) in try read(object, reference, memory) }
    } catch {
      throw StorageError(error, reference.context)
    }
    if let state { return StorageMetadata(state) }
    guard hashing else { return nil }
    let digest: ContentDigest
    do throws(HashError) {
      digest = try hasher.digest(of: file, content: .closed, isCancelled: isCancelled)
    } catch {
      throw StorageError(error, reference.context)
    }
    do throws(StoreError) {
      return try withMemory { memory throws(StoreError) in
        try read(object, reference, memory, digest: digest.digest).map { StorageMetadata($0) }
      }
    } catch {
      throw StorageError(error, reference.context)
    }
  }

  /// Reads all of an object's metadata; nil where its digest is not known.
  private func read(
    _ object: ObjectReference, _ reference: StorageReference, _ memory: ReadingMemory, digest: MD5Digest? = nil
  ) throws(StoreError) -> MetadataState? {
    let record = try store.metadata(of: object.file, content: .closed)
    var values: [WritableProperty: String] = [:]
    for property in WritableProperty.allCases {
      memory.text.removeAll()
      var answer = try reader.append(
        Property.row(of: property), record, of: object, reference.path, &memory.name, to: &memory.text)
      if answer == .uncomputed {
        guard let digest else { return nil }
        memory.text.append(base64: digest)
        answer = .value
      }
      if answer == .value { values[property] = memory.text.string }
    }
    var custom: [String: String] = [:]
    for entry in record.textEntries {
      custom[String(decoding: entry.key, as: UTF8.self)] = String(decoding: entry.value, as: UTF8.self)
    }
    let facts = MetadataState.Facts(
      bucket: reference.bucket, fullPath: reference.fullPath, name: reference.name,
      generation: Int64(clamping: record.generation), metageneration: Int64(clamping: record.metageneration),
      size: Int64(clamping: record.pin.size), timeCreated: Date(microseconds: record.generation),
      updated: Date(microseconds: record.updated))
    return MetadataState(facts, of: reference, values: values, custom: custom.isEmpty ? nil : custom)
  }

  /// Why an update that has begun does not happen.
  private enum Refusal: Error {
    case metadata(MetadataError)
    case needsDigest
  }

  /// Makes one change of metadata, checked before. Returns the object's descriptor for reading the new state.
  func update(
    _ reference: StorageReference, _ patch: MetadataPatch, verifying: Bool
  ) throws(StorageError) -> OwnedDescriptor {
    do throws(MetadataError) {
      try patch.checkValues()
      try patch.checkText()
    } catch {
      throw StorageError(error, reference.context)
    }
    let file = try open(reference)
    var digest: ContentDigest?
    while try !update(file.descriptor, reference, patch, verifying: verifying, digest) {
      do throws(HashError) {
        digest = try hasher.digest(of: file.descriptor, content: .closed)
      } catch {
        throw StorageError(error, reference.context)
      }
    }
    return file
  }

  /// Returns false where the content's digest has to be known first.
  private func update(
    _ file: Descriptor, _ reference: StorageReference, _ patch: MetadataPatch, verifying: Bool,
    _ digest: ContentDigest?
  ) throws(StorageError) -> Bool {
    let change = MetadataChange.patch(patch)
    var before: FileStatus?
    do throws(ChangeError<Refusal>) {
      try store.change(file, content: .closed) { record, status throws(Refusal) in
        before = status
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
      case .refused(.needsDigest): return false
      case .refused(.metadata(let reason)): throw StorageError(reason, reference.context)
      case .store(let reason): throw StorageError(reason, reference.context)
      }
    }
    if let before { hasher.noteOwnChange(of: file, from: before) }
    return true
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
