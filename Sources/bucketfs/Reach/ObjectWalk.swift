internal import Bucket
internal import SystemCalls

/// A walk over an object, or a folder and all that is below it: each folder before what is in it, in the order of the
/// object names' bytes, a folder's counted with a slash at its end. Symlinks, FIFOs and sockets are left out.
struct ObjectWalk {
  private let filter: NameFilter
  private let isRecursive: Bool
  private let visit: (Reached) throws(Command.Failure) -> Void

  /// Calls `visit` for `start` and, if it is a folder, for what is in it: with `isRecursive` all below, else the
  /// entries alone. What fails is said and passed over; at the end the walk fails.
  static func run(
    from start: Reached, isRecursive: Bool = true, filter: NameFilter = .all,
    _ visit: (Reached) throws(Command.Failure) -> Void
  ) throws(Command.Failure) {
    let result = withoutActuallyEscaping(visit) { visit -> Result<Bool, Command.Failure> in
      let walk = ObjectWalk(filter: filter, isRecursive: isRecursive, visit: visit)
      do throws(Command.Failure) {
        return .success(try walk.enter(start, depth: 0, below: start.path.count))
      } catch {
        return .failure(error)
      }
    }
    if !(try result.get()) { throw .said(1) }
  }

  /// Returns whether nothing failed.
  private func enter(_ object: Reached, depth: Int, below: Int) throws(Command.Failure) -> Bool {
    var isWhole = true
    do throws(Command.Failure) {
      try visit(object)
    } catch {
      guard case .failed(let message) = error else { throw error }
      Command.complain(message)
      isWhole = false
    }
    guard object.kind.isFolder, isRecursive || depth == 0 else { return isWhole }
    let entries: [FolderEntry]
    do throws(Errno) {
      entries = try FolderEntry.all(in: object.file)
    } catch {
      Command.complain("cannot read the folder '\(object.shown)': \(error)")
      return false
    }
    for entry in entries where !(object.name.isEmpty && entry.isPrivate) {
      let path = object.path + (object.path.last == Self.slash ? [] : [Self.slash]) + entry.name
      let relative = Array(path[min(path.count, below)...].drop { $0 == Self.slash })
      guard filter.accepts(relative, isFolder: entry.isFolder) else { continue }
      let name = object.name.isEmpty ? entry.name : object.name + [Self.slash] + entry.name
      guard let file = open(entry, in: object.file, path, &isWhole) else { continue }
      let child = Reached(
        file: file.descriptor, kind: entry.isFolder ? .folder : .object, name: name, path: path)
      if !(try enter(child, depth: depth + 1, below: below)) { isWhole = false }
    }
    return isWhole
  }

  private func open(
    _ entry: FolderEntry, in folder: Descriptor, _ path: [UInt8], _ isWhole: inout Bool
  ) -> OwnedDescriptor? {
    do throws(Errno) {
      return try System.open(entry.name.span, in: folder, [.path, .noFollow])
    } catch .noSuchFileOrDirectory {
      // Removed since the folder was read.
    } catch {
      Command.complain("cannot open '\(String(decoding: path, as: UTF8.self))': \(error)")
      isWhole = false
    }
    return nil
  }

  private static let slash = UInt8(ascii: "/")
}
