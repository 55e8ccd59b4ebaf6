internal import SystemCalls

/// For how long the kernel may trust what it is told.
extension BucketFileSystem {
  /// Seconds that hold where nobody tells of changes made behind the mount's back.
  package static var unwatchedTimeout: Double { 1 }

  /// Whether somebody tells.
  package var isWatched: Bool { watch != nil }

  /// Seconds for attributes of a file on the device.
  package func attributeTimeout(on device: UInt64) -> Double {
    limited(options.attributeTimeout, on: device)
  }

  /// Seconds for a name of a file on the device.
  func entryTimeout(on device: UInt64) -> Double {
    limited(options.entryTimeout, on: device)
  }

  /// Seconds for a name that does not exist in the folder.
  package func negativeTimeout(in folder: NodeID) -> Double {
    guard options.negativeTimeout > Self.unwatchedTimeout, let inode = try? table.inode(folder) else {
      return options.negativeTimeout
    }
    return limited(options.negativeTimeout, on: inode.key.device)
  }

  /// The filesystem below a folder may have been mounted there after the watch began, and be one that cannot be watched.
  private func limited(_ timeout: Double, on device: UInt64) -> Double {
    if timeout <= Self.unwatchedTimeout || device == table.root.key.device || watch?.covers(device) == true {
      return timeout
    }
    return Self.unwatchedTimeout
  }
}
