internal import SystemCalls

/// Overflow files: what an xattr cannot hold, named by the SHA-256 of its content and never changed.
extension PrivateFolder {
  /// Appends the content of the overflow file whose name is at `range` in `buffer`, after holding it against the name.
  func readOverflow(named range: Range<Int>, into buffer: inout ByteBuffer) throws(StoreError) {
    let start = buffer.count
    let name = buffer.span.extracting(range).array
    do throws(Errno) {
      try appendOverflow(name, to: &buffer)
    } catch .noSuchFileOrDirectory {
      throw .missingOverflow
    } catch .permissionDenied {
      throw .unreadableRecord
    } catch .tooManySymbolicLinkLevels, .notDirectory, .outOfRange, .noSuchAddressOrDevice {
      throw .damagedOverflow
    } catch {
      throw .system(error)
    }
    guard SHA256Digest.hex(of: buffer.span.extracting(droppingFirst: start)) == name else { throw .damagedOverflow }
  }

  private func appendOverflow(_ name: [UInt8], to buffer: inout ByteBuffer) throws(Errno) {
    let file = try openOverflow(name)
    let status = try System.status(of: file.descriptor)
    guard status.isRegular, status.size <= UInt64(Limits.record) else { throw .outOfRange }
    var offset: Int64 = 0
    while true {
      let count = try buffer.fillRest { memory throws(Errno) in
        try System.read(file.descriptor, at: offset, into: memory)
      }
      if count == 0 { return }
      offset += Int64(count)
    }
  }

  private func openOverflow(_ name: [UInt8]) throws(Errno) -> OwnedDescriptor {
    do throws(Errno) {
      return try openOverflowOnce(name)
    } catch .noSuchFileOrDirectory {
      // The folder that we have open may be one that was moved away.
      forget()
      return try openOverflowOnce(name)
    }
  }

  private func openOverflowOnce(_ name: [UInt8]) throws(Errno) -> OwnedDescriptor {
    guard let directory = try directory(make: false) else { throw .noSuchFileOrDirectory }
    return try System.open(name.span, in: directory.descriptor, [.readOnly, .noFollow, .nonBlocking])
  }

  /// Writes an overflow file. Returns its name. When this returns, name and content outlast a power cut.
  ///
  /// A file of that name is replaced by its equal: so its mtime says that it was needed just now, and `check` leaves it
  /// alone, and nothing is trusted that somebody else has written.
  func writeOverflow(_ content: [UInt8]) throws(Errno) -> [UInt8] {
    let name = SHA256Digest.hex(of: content.span)
    do throws(Errno) {
      try writeOverflow(content, named: name)
    } catch .noSuchFileOrDirectory {
      forget()
      try writeOverflow(content, named: name)
    }
    return name
  }

  private func writeOverflow(_ content: [UInt8], named name: [UInt8]) throws(Errno) {
    guard let folder = try directory(make: true) else { throw .noSuchFileOrDirectory }
    let directory = folder.descriptor
    // Only one thread writes under this name: what is there was left by one that was killed, or is a trap.
    let temporary = name + Array(".\(System.processIdentifier).\(System.threadIdentifier)".utf8)
    try? System.unlink(temporary.span, in: directory)
    let file = try System.open(
      temporary.span, in: directory, [.writeOnly, .create, .exclusive, .noFollow], mode: 0o400)
    do throws(Errno) {
      try System.writeAll(file.descriptor, content.span)
      try admitWriters(file.descriptor, each: 0o4)
      try System.synchronize(file.descriptor)
      try System.rename(temporary.span, in: directory, to: name.span, in: directory)
    } catch {
      try? System.unlink(temporary.span, in: directory)
      // In a sticky folder another user's file cannot be replaced; it is as good as ours.
      guard error == .notPermitted || error == .permissionDenied, isIntact(name) else { throw error }
      return
    }
    try System.synchronize(directory)
  }

  /// Whether the overflow file of that name is there with the content that it should have.
  func isIntact(_ name: [UInt8]) -> Bool {
    var buffer = ByteBuffer(capacity: OverflowName.length + Limits.record + 1)
    buffer.append(name.span)
    return (try? readOverflow(named: 0..<OverflowName.length, into: &buffer)) != nil
  }
}
