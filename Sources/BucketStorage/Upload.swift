internal import Bucket
internal import Foundation
internal import SystemCalls

/// What is to become an object.
struct Upload: Sendable {
  enum Source: Sendable {
    case data(Data)
    case file(URL)
  }

  /// Bytes that are written at once: the time between two looks at whether the caller wants it to wait or to end.
  private static let piece = 1 << 20

  let source: Source
  /// As it was when the upload began.
  let metadata: StorageMetadata?
  let generation: Int64?

  init(_ source: Source, _ metadata: StorageMetadata?, _ generation: Int64?) {
    self.source = source
    self.metadata = metadata?.copy()
    self.generation = generation
  }

  func run(_ reference: StorageReference, _ task: StorageUploadTask) throws(StorageError) -> StorageMetadata {
    let bucket = try reference.storage.open()
    let patch = try checkedPatch(reference)
    try task.control.checkpoint()
    var staged = try bucket.stage(reference)
    switch source {
    case .data(let data): try move(data, to: &staged, reference, task)
    case .file(let url): try move(url, to: &staged, reference, task)
    }
    if reference.storage.verifiesMD5 { try verify(patch, staged.descriptor, bucket, reference) }
    try task.control.checkpoint()
    try bucket.publish(staged, reference, patch, generation)
    return try reference.metadata { false }
  }

  /// The metadata, whose values the object can have.
  private func checkedPatch(_ reference: StorageReference) throws(StorageError) -> MetadataPatch {
    let patch = metadata?.snapshot.replacement ?? MetadataPatch()
    do throws(MetadataError) {
      try patch.checkValues()
      try patch.checkText()
    } catch {
      throw StorageError(error, reference.context)
    }
    return patch
  }

  private func move(
    _ data: Data, to staged: inout StagedObject, _ reference: StorageReference, _ task: StorageUploadTask
  ) throws(StorageError) {
    var rest = data[...]
    while !rest.isEmpty {
      try task.control.checkpoint()
      try Self.append(Array(rest.prefix(Self.piece)).span, to: &staged, reference)
      rest = rest.dropFirst(Self.piece)
      task.note(moved: Int64(staged.size))
    }
  }

  private func move(
    _ url: URL, to staged: inout StagedObject, _ reference: StorageReference, _ task: StorageUploadTask
  ) throws(StorageError) {
    let file = try Self.open(url)
    var buffer = ByteBuffer(capacity: Self.piece)
    while true {
      try task.control.checkpoint()
      let offset = Int64(staged.size)
      do throws(Errno) {
        try buffer.fill { memory throws(Errno) in
          try System.read(file.descriptor, at: offset, into: memory)
        }
      } catch {
        throw Self.unreachable(url, error)
      }
      if buffer.count == 0 { return }
      try Self.append(buffer.span, to: &staged, reference)
      let total = (try? System.status(of: file.descriptor)).map { Int64(clamping: $0.size) } ?? -1
      task.note(moved: Int64(staged.size), of: max(total, Int64(staged.size)))
    }
  }

  private static func append(
    _ bytes: Span<UInt8>, to staged: inout StagedObject, _ reference: StorageReference
  ) throws(StorageError) {
    do throws(ObjectError) {
      try staged.append(bytes)
    } catch {
      throw StorageError(error, reference.context)
    }
  }

  private static func open(_ url: URL) throws(StorageError) -> OwnedDescriptor {
    guard url.isFileURL else { throw unreachable(url, .invalidArgument) }
    do throws(Errno) {
      let file = try System.open(
        Array(url.path.utf8).span, in: .workingDirectory, [.readOnly, .nonBlocking])
      guard try System.status(of: file.descriptor).isRegular else { throw .isDirectory }
      return file
    } catch {
      throw unreachable(url, error)
    }
  }

  private static func unreachable(_ url: URL, _ error: Errno) -> StorageError {
    .unknown(
      message: "File at URL: \(url.absoluteString) is not reachable: \(error).",
      serverError: ["errno": error.rawValue, "reason": error.description])
  }

  /// Throws where the content has another digest than the one given.
  private func verify(
    _ patch: MetadataPatch, _ file: Descriptor, _ bucket: OpenBucket, _ reference: StorageReference
  ) throws(StorageError) {
    guard let text = patch.properties[.md5Hash] ?? nil else { return }
    do throws(HashError) {
      let digest = try bucket.hasher.digest(of: file, content: .closed).digest
      guard MD5Digest(base64: text.span) != digest else { return }
    } catch {
      throw StorageError(error, reference.context)
    }
    throw StorageError(MetadataError.digestMismatch, reference.context)
  }
}

extension OpenBucket {
  /// Begins a content.
  func stage(_ reference: StorageReference) throws(StorageError) -> StagedObject {
    do throws(ObjectError) {
      return try store.stage(reference.path)
    } catch {
      throw failure(error, reference)
    }
  }

  /// Makes a content the object.
  func publish(
    _ staged: consuming StagedObject, _ reference: StorageReference, _ patch: MetadataPatch, _ generation: Int64?
  ) throws(StorageError) {
    do throws(ObjectError) {
      try store.publish(staged, metadata: patch, ifGeneration: try StorageReference.checked(generation))
    } catch {
      throw failure(error, reference)
    }
  }
}
