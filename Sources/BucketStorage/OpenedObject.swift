internal import SystemCalls

/// An object's open file, which goes from one thread to another; closed when the last one is done with it.
final class OpenedObject: Sendable {
  private let owner: OwnedDescriptor

  init(_ owner: consuming OwnedDescriptor) {
    self.owner = owner
  }

  /// Opened with O_PATH.
  var descriptor: Descriptor { owner.descriptor }
}
