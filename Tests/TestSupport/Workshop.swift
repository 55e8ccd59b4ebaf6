import SystemCalls
import Testing

/// A folder in a mounted bucket in which a user works with shell tools.
///
/// Scripts find it as `$M`, the same folder in the backing directory as `$B`, and a folder outside of the mount, on the
/// backing filesystem, as `$O`. All three belong to the user. What a script prints on standard error fails the test.
package struct Workshop {
  package let bucket: MountedBucket
  package let caller: Caller
  package let outside: Path

  /// `work` in the mount.
  package var mounted: Path { bucket / "work" }
  /// `work` in the backing directory.
  package var backing: Path { bucket.backing / "work" }

  /// Mounts a bucket as root, with a folder in it that belongs to `caller`, and calls `body`.
  package static func with(
    _ caller: Caller, options: MountOptions = MountOptions(), _ body: (Workshop) throws -> Void
  ) throws {
    try MountedBucket.with(options) { bucket in
      let workshop = Workshop(bucket: bucket, caller: caller, outside: bucket.backing.sibling("outside"))
      for folder in [workshop.backing, workshop.outside] {
        try folder.makeFolder()
        try folder.changeOwner(caller.user, caller.group)
      }
      try body(workshop)
    }
  }

  /// Runs a script that must succeed and say nothing on standard error, with the functions below. Returns its output.
  @discardableResult
  package func run(
    _ script: String, timeout: Double = 120, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let places = "M=\(mounted.quoted) B=\(backing.quoted) O=\(outside.quoted) HOME=\(outside.quoted)"
    return try Shell.expect(
      "export \(places); cd \"$O\"\n\(Self.functions)\n\(script)", as: caller, timeout: timeout,
      sourceLocation: sourceLocation)
  }

  /// `make_tree DIR`: files of many kinds with attributes. `same DIR DIR`: both hold the same, times, links and modes
  /// included, but for the time of the top. `same_attributes DIR DIR`: so do their attributes.
  private static let functions = #"""
    make_tree() {
      mkdir -p "$1/folder/deeper" "$1/empty folder"
      printf '<p>hello</p>' >"$1/index.html"
      seq 1 20000 >"$1/folder/numbers.txt"
      : >"$1/folder/empty"
      printf secret >"$1/folder/private"; chmod 600 "$1/folder/private"
      printf '#!/bin/sh\n' >"$1/folder/run.sh"; chmod 755 "$1/folder/run.sh"
      printf x >"$1/folder/readonly"; chmod 444 "$1/folder/readonly"
      cp /bin/true "$1/setuid"; chmod 4755 "$1/setuid"
      ln "$1/index.html" "$1/folder/deeper/linked.html"
      ln -s ../index.html "$1/folder/symlink"
      ln -s nowhere "$1/dangling"
      mkfifo "$1/fifo"
      printf odd >"$1/-dash"; printf odd >"$1/new"$'\n'"line"; printf odd >"$1/ blank "; printf odd >"$1/"$'\xff'
      printf odd >"$1/$(printf '%0255d' 7)"
      truncate -s 3M "$1/sparse"; printf end >>"$1/sparse"
      setfattr -n user.colour -v red "$1/index.html"
      setfattr -n user.binary -v 0x00ff0a "$1/folder/numbers.txt"
      setfattr -n user.colour -v blue "$1/folder"
      chmod 2770 "$1/empty folder"
      find "$1" -exec touch -h -d '2004-04-04 04:04:04.444444444' {} +
      touch -d '2001-02-03 04:05:06.789012345' "$1/index.html" "$1/folder/empty"
      touch -d '2100-01-01 00:00:00.5' "$1/folder/private"
      touch -h -d '2002-02-02' "$1/dangling"
      touch -d '2003-03-03' "$1/folder/deeper" "$1/folder"
    }
    snapshot() {
      cd "$1"
      find . -mindepth 1 \( -type d -printf '%p %y %m %U:%G %T@\n' \) -o -printf '%p %y %m %U:%G %n %s %T@ %l\n' |
        LC_ALL=C sort
      find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum
    }
    same() { diff <(snapshot "$1") <(snapshot "$2"); }
    attributes() { cd "$1" && find . ! -type l -print0 | LC_ALL=C sort -z | xargs -0r getfattr -h -d -m '^user' -e hex; }
    same_attributes() { diff <(attributes "$1") <(attributes "$2"); }
    """#
}
