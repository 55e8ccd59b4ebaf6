package import SystemCalls

/// What other programs have set on a backing file and no record has taken in: it shows as the object's metadata where
/// the record says nothing of the name.
extension BucketStore {
  /// Appends the value of a fixed property that is set plainly, under its own or freedesktop.org's name. Returns whether it is, with a value that is valid. To
  /// be asked only where the record neither holds the property nor says that it was removed.
  package func appendPlain(
    _ property: StoredProperty, of object: Descriptor, to output: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    guard property != .md5Hash else { return false }
    if try appendPlain(property, named: property.name, of: object, to: &output) { return true }
    guard property == .contentType else { return false }
    return try appendPlain(property, named: AttributeName.freedesktopType, of: object, to: &output)
  }

  private func appendPlain(
    _ property: StoredProperty, named last: StaticString, of object: Descriptor, to output: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    let start = output.count
    var name = InlineName()
    name.append(last.bytes)
    guard try appendPlainValue(name.span, of: object, to: &output) else { return false }
    if Self.isValid(output.span.extracting(droppingFirst: start), of: property) { return true }
    output.truncate(to: start)
    return false
  }

  /// Appends the value of the custom entry `key` that is set plainly. Returns whether it is. To be asked only where the
  /// record has no such entry.
  package func appendPlain(
    key: Span<UInt8>, of object: Descriptor, to output: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    guard key.count > 0, key.count <= InlineName.keyLimit, key.firstIndex(of: 0) == nil else { return false }
    var name = InlineName()
    name.append(key)
    guard case .custom = PlainName(name.span) else { return false }
    return try appendPlainValue(name.span, of: object, to: &output)
  }

  private func appendPlainValue(
    _ name: Span<UInt8>, of object: Descriptor, to output: inout ByteBuffer
  ) throws(StoreError) -> Bool {
    do throws(Errno) {
      // Without room for one byte the kernel would answer with the length alone.
      guard output.count < output.capacity else { throw .outOfRange }
      try output.fillRest { memory throws(Errno) in try System.getXattr(name, of: object, into: memory) }
      return true
    } catch .noData, .notSupported {
      return false
    } catch {
      throw error == .permissionDenied || error == .notPermitted ? .unreadableRecord : .system(error)
    }
  }

  /// Calls `body` with the name and the meaning of each plain xattr that shows, given the object's record, which is in
  /// `bytes`. `names`, of 64 KiB, is filled with all the file's names. Those of fixed properties are left out on a
  /// folder.
  package func forEachPlain(
    of object: Descriptor, isFolder: Bool, record: RecordView?, in bytes: Span<UInt8>, names: inout ByteBuffer,
    _ body: (_ name: Span<UInt8>, _ meaning: PlainName) -> Void
  ) throws(StoreError) {
    try listNames(of: object, into: &names)
    var position = 0
    while position < names.count {
      let rest = names.span.extracting(droppingFirst: position)
      let name = rest.extracting(first: rest.firstIndex(of: 0) ?? rest.count)
      position += name.count + 1
      let meaning = PlainName(name)
      switch meaning {
      case .ignored: continue
      case .custom(let key):
        if record?.customValue(name.extracting(key), in: bytes) != nil { continue }
      case .property(let property):
        if isFolder || record?.range(of: property) != nil || record?.isRemoved(property) == true { continue }
        guard isShown(name, property, of: object) else { continue }
      }
      body(name, meaning)
    }
  }

  /// Whether the plain xattr `name` is the one that shows as `property`: it has a valid value, and is not the other name
  /// beside the property's own.
  private func isShown(_ name: Span<UInt8>, _ property: StoredProperty, of object: Descriptor) -> Bool {
    var value = ByteBuffer(capacity: 2 * Limits.value)
    var own = InlineName()
    own.append(property.name.bytes)
    let isByOwnName = (try? appendPlain(property, named: property.name, of: object, to: &value)) == true
    if name.equals(own.span) { return isByOwnName }
    return !isByOwnName && (try? appendPlain(property, of: object, to: &value)) == true
  }

  /// Fills `names` with the names of the file's xattrs, each with a NUL behind it.
  func listNames(of object: Descriptor, into names: inout ByteBuffer) throws(StoreError) {
    do throws(Errno) {
      try names.fill { memory throws(Errno) in try System.listXattrs(of: object, into: memory) }
    } catch .notSupported {
      // A filesystem without xattrs: none are there.
    } catch {
      throw error == .permissionDenied || error == .notPermitted ? .unreadableRecord : .system(error)
    }
  }

  /// Whether a fixed property can have that value.
  static func isValid(_ value: Span<UInt8>, of property: StoredProperty) -> Bool {
    guard let rule = Property.row(of: property).rule else { return false }
    do throws(ValueError) {
      try rule.check(value)
      return true
    } catch {
      return false
    }
  }
}
