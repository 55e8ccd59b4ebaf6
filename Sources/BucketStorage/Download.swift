internal import Bucket
internal import Foundation
internal import SystemCalls

/// The content of an object on its way out.
struct Download: ~Copyable {
  /// Bytes that are read at once.
  private static var piece: Int { 1 << 20 }

  private let reference: StorageReference
  private let file: OwnedDescriptor
  private let task: StorageDownloadTask
  private var offset: Int64 = 0
  private var buffer: ByteBuffer

  /// Opens the content.
  init(_ reference: StorageReference, _ task: StorageDownloadTask) throws(StorageError) {
    let object = try reference.storage.open().open(reference)
    file = try Self.open(object.descriptor, reference)
    self.reference = reference
    self.task = task
    buffer = ByteBuffer(capacity: Self.piece)
  }

  private static func open(
    _ object: Descriptor, _ reference: StorageReference
  ) throws(StorageError) -> OwnedDescriptor {
    do throws(Errno) {
      return try System.reopen(object, [.readOnly, .nonBlocking])
    } catch {
      throw StorageError(error, reference.context)
    }
  }

  /// Bytes of the content as it is now.
  var size: Int64 {
    get throws(StorageError) {
      do throws(Errno) {
        return Int64(clamping: try System.status(of: file.descriptor).size)
      } catch {
        throw StorageError(error, reference.context)
      }
    }
  }

  /// Reads the next piece. Returns false at the end.
  mutating func next() throws(StorageError) -> Bool {
    try task.control.checkpoint()
    do throws(Errno) {
      let (offset, file) = (offset, file.descriptor)
      try buffer.fill { memory throws(Errno) in try System.read(file, at: offset, into: memory) }
    } catch {
      throw StorageError(error, reference.context)
    }
    guard buffer.count > 0 else { return false }
    offset += Int64(buffer.count)
    task.note(moved: offset, of: max(try size, offset))
    return true
  }

  /// The whole content, if it has at most `limit` bytes.
  mutating func data(atMost limit: Int64) throws(StorageError) -> Data {
    let total = try size
    guard total <= limit else { throw .downloadSizeExceeded(total: total, maxSize: limit) }
    // A sparse file may be longer than all memory: it is taken as it is read.
    var data = Data(capacity: Int(min(total, 1 << 26)))
    while try next() {
      // It may grow while it is read.
      guard offset <= limit else { throw .downloadSizeExceeded(total: max(offset, try size), maxSize: limit) }
      buffer.span.withUnsafeBytes { data.append(contentsOf: $0) }
    }
    return data
  }

  /// Writes the content to a file, which appears whole or not at all; its folder is made where it is not there.
  mutating func write(to url: URL) throws(StorageError) {
    guard url.isFileURL else { throw Self.unwritable(url, .invalidArgument) }
    let folder = url.deletingLastPathComponent()
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let temporary = folder.appending(path: ".\(UUID().uuidString)").path
    let target = try Self.create(temporary, url)
    do throws(StorageError) {
      while try next() {
        do throws(Errno) {
          try System.writeAll(target.descriptor, buffer.span)
        } catch {
          throw Self.unwritable(url, error)
        }
      }
      try task.control.checkpoint()
      try Self.rename(temporary, to: url)
    } catch {
      try? System.unlink(Array(temporary.utf8).span, in: .workingDirectory)
      throw error
    }
  }

  private static func create(_ path: String, _ url: URL) throws(StorageError) -> OwnedDescriptor {
    do throws(Errno) {
      return try System.open(
        Array(path.utf8).span, in: .workingDirectory, [.writeOnly, .create, .exclusive, .noFollow], mode: 0o666)
    } catch {
      throw unwritable(url, error)
    }
  }

  private static func rename(_ path: String, to url: URL) throws(StorageError) {
    do throws(Errno) {
      try System.rename(
        Array(path.utf8).span, in: .workingDirectory, to: Array(url.path.utf8).span, in: .workingDirectory)
    } catch {
      throw unwritable(url, error)
    }
  }

  private static func unwritable(_ url: URL, _ error: Errno) -> StorageError {
    .unknown(
      message: "File at URL: \(url.absoluteString) cannot be written: \(error).",
      serverError: ["errno": error.rawValue, "reason": error.description])
  }
}
