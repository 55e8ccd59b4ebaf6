internal import SystemCalls

/// Whether a bucket can be mounted at a place.
enum MountPlace {
  /// Takes away a mount whose daemon has died, so that its mountpoint can be used again.
  static func recover(_ mountpoint: String) throws(Command.Failure) {
    guard try isDead(mountpoint) else { return }
    guard let mount = MountTable.mount(at: mountpoint), mount.type == "fuse.bucketfs" else {
      // The daemon's unmounter may have been faster.
      guard try isDead(mountpoint) else { return }
      throw .failed("the mount at '\(mountpoint)' is dead; unmount it first")
    }
    if System.effectiveUser == 0 {
      do throws(Errno) {
        try System.detachMount(at: mount.place)
      } catch {
        guard try isDead(mountpoint) else { return }
        throw .failed("cannot take the dead mount at '\(mountpoint)' away: \(error)")
      }
    } else if System.run(["fusermount3", "-u", "-z", "-q", "--", mount.place]) != 0, try isDead(mountpoint) {
      throw .failed("cannot take the dead mount at '\(mountpoint)' away")
    }
  }

  private static func isDead(_ mountpoint: String) throws(Command.Failure) -> Bool {
    do throws(Errno) {
      try System.ask(mountpoint)
      return false
    } catch .notConnected, .connectionAborted, .canceled {
      // The latter two where the kernel was still about to notice the daemon's end.
      return true
    } catch {
      throw .failed("cannot mount on '\(mountpoint)': \(error)")
    }
  }

  /// Refuses places at which the daemon would wait for itself, or two buckets would be one inside the other. The paths
  /// are absolute and without symlinks.
  static func check(bucket: String, mountpoint: String) throws(Command.Failure) {
    let place = try openFolder(mountpoint, "cannot mount on '\(mountpoint)'")
    let root = try openFolder(bucket, "cannot open the bucket '\(bucket)'")
    let problem: String?
    do throws(Errno) {
      problem = try nesting(of: root.descriptor, bucket, place.descriptor, mountpoint)
    } catch {
      throw .failed("cannot look at the folders above '\(bucket)' and '\(mountpoint)': \(error)")
    }
    if let problem { throw .failed(problem) }
  }

  private static func nesting(
    of root: Descriptor, _ bucket: String, _ place: Descriptor, _ mountpoint: String
  ) throws(Errno) -> String? {
    if try isInside(place, root) {
      return "the mountpoint '\(mountpoint)' lies inside the bucket '\(bucket)'; choose one outside"
    }
    if try isInside(root, place) {
      return "the bucket '\(bucket)' lies inside the mountpoint '\(mountpoint)'; choose one outside"
    }
    let lock = Array(".bucketfs/lock".utf8)
    let isNested = try forEachFolderAbove(root) { folder in
      (try? System.status(of: lock.span, in: folder)) != nil
    }
    return isNested ? "the bucket '\(bucket)' lies inside another bucket; mount that one instead" : nil
  }

  private static func openFolder(_ path: String, _ message: String) throws(Command.Failure) -> OwnedDescriptor {
    do throws(Errno) {
      return try System.open(Array(path.utf8).span, in: .workingDirectory, [.path, .directory])
    } catch {
      throw .failed("\(message): \(error)")
    }
  }

  /// Whether the folder is `other` or lies below it, by what the folders are and not by how they are called.
  private static func isInside(_ folder: Descriptor, _ other: Descriptor) throws(Errno) -> Bool {
    let wanted = try System.status(of: other)
    let own = try System.status(of: folder)
    if own.device == wanted.device && own.inode == wanted.inode { return true }
    return try forEachFolderAbove(folder) { above throws(Errno) in
      let status = try System.status(of: above)
      return status.device == wanted.device && status.inode == wanted.inode
    }
  }

  /// Calls `body` for each folder above, until it returns true; returns whether it did.
  private static func forEachFolderAbove(
    _ folder: Descriptor, _ body: (Descriptor) throws(Errno) -> Bool
  ) throws(Errno) -> Bool {
    var current = try System.open([UInt8(ascii: ".")].span, in: folder, [.path, .directory])
    while true {
      let above = try System.open(Array("..".utf8).span, in: current.descriptor, [.path, .directory])
      let status = try System.status(of: above.descriptor)
      let below = try System.status(of: current.descriptor)
      // The root of all is its own parent.
      if status.device == below.device && status.inode == below.inode { return false }
      if try body(above.descriptor) { return true }
      current = above
    }
  }
}
