import BucketStorage
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Eight programs of every kind on one set of objects.
@Suite(.serialized) struct EightAtOnceTests {
  private static let names = (0..<6).map { "o\($0)" }

  /// Sets a value of its own, one higher each time, on whichever object has a name, until the time is over; says how
  /// often, and what it left on each inode.
  private static let setter = """
    import errno, json, os, random, sys, time
    end, own, count, left = time.time() + float(sys.argv[2]), sys.argv[1], 0, {}
    while time.time() < end:
      try: file = os.open("o%d" % random.randrange(6), os.O_RDONLY)
      except OSError as error:
        # Away for a moment, or moved between the kernel's two looks.
        if error.errno in (errno.ENOENT, errno.ESTALE): continue
        raise
      # A file of these that is renamed is the same file.
      size = random.choice([0, 0, 0, 200, 1500])
      os.setxattr(file, "user." + own, b"%d." % (count + 1) + b"v" * size)
      count += 1
      left[os.fstat(file).st_ino] = count
      os.close(file)
    print(json.dumps({"count": count, "left": left}))
    """

  /// Swaps names in the backing directory, and takes each away for a moment.
  private static let renamer = """
    import ctypes, os, random, sys, time
    libc, end, count = ctypes.CDLL(None, use_errno=True), time.time() + float(sys.argv[1]), 0
    while time.time() < end:
      a, b = random.sample(range(6), 2)
      if libc.renameat2(-100, b"o%d" % a, -100, b"o%d" % b, 2) != 0: sys.exit(os.strerror(ctypes.get_errno()))
      os.rename("o%d" % a, "away"); os.rename("away", "o%d" % a)
      count += 1
      time.sleep(0.001)
    print(count)
    """

  private struct Report: Decodable {
    var count: Int
    var left: [String: Int]
  }

  @Test func noneLosesAChangeAndNoneWaitsForEver() throws {
    let seconds = Effort.isThorough ? 60 : 8
    try MountedBucket.with { bucket in
      try TemporaryDirectory.with { folder in
        let second = folder / "second"
        try second.makeFolder()
        try Shell.expect("\(MountedBucket.executable) mount -o allow_other \(bucket.backing.quoted) \(second.quoted)")
        defer { Mounts.unmount(second) }
        for name in Self.names { try (bucket.backing / Path(name)).write("content") }

        let mounts = [bucket.mountpoint, bucket.mountpoint, second, second]
        let setters = try mounts.enumerated().map { number, mount in
          try Program(["python3", "-c", Self.setter, "m\(number)", "\(seconds)"], in: mount)
        }
        let cores = try ["a", "b"].map { id in
          try Program([MountedBucket.worker, "count", "\(bucket.backing)", "o0", id, "\(seconds * 50)"])
        }
        let command = try Program(
          [
            "bash", "-c",
            """
            end=$((SECONDS + \(seconds))) count=0
            while [ $SECONDS -lt $end ]; do
              \(MountedBucket.executable) set o$((RANDOM % 6)) customMetadata.command=$count 2>/dev/null && count=$((count + 1))
            done
            echo $count
            """,
          ], in: bucket.backing)
        let renamer = try Program(["python3", "-c", Self.renamer, "\(seconds)"], in: bucket.backing)
        let library = try updates(of: bucket.backing, seconds: seconds)

        var changes = library + 2 * seconds * 50
        for program in setters + cores + [command, renamer] {
          #expect(program.wait(seconds: Double(seconds) + 60) == 0, "\(program.standardError)")
        }
        changes += try #require(Int(text(command)))
        #expect(try #require(Int(text(renamer))) > 100)
        let reports = try setters.map { try JSONDecoder().decode(Report.self, from: Data($0.standardOutput)) }
        changes += reports.map(\.count).reduce(0, +)

        // Until the kernel trusts no name any more that it had before the latest rename.
        usleep(1_200_000)
        var counted = 0
        var all = 0
        for name in Self.names {
          let object = bucket / Path(name)
          counted += try #require(Int(object.attribute("metageneration"))) - 1
          all += try object.attributeIfSet("all").flatMap { Int($0) } ?? 0
          let inode = try object.status().inode
          for (number, report) in reports.enumerated() {
            let value = try object.attributeIfSet("m\(number)")?.split(separator: ".").first.flatMap { Int($0) }
            #expect(value == report.left["\(inode)"], "\(name), m\(number)")
          }
        }
        #expect(counted == changes)
        #expect(all == 2 * seconds * 50)
        #expect(changes > seconds * 100)
      }
    }
  }

  private func text(_ program: Program) -> String {
    String(decoding: program.standardOutput, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Changes objects by the library for so long. Returns how often.
  private func updates(of backing: Path, seconds: Int) throws -> Int {
    let fixture = StorageFixture(at: backing)
    let end = Date(timeIntervalSinceNow: Double(seconds))
    var count = 0
    while Date() < end {
      let metadata = StorageMetadata()
      metadata.customMetadata = ["library": "\(count)"]
      let ref = fixture.root.child(Self.names.randomElement()!)
      do {
        _ = try waited { ref.updateMetadata(metadata, completion: $0) } as StorageMetadata
        count += 1
      } catch let error as StorageError where error.code == .objectNotFound {
        // Its name was away for a moment.
      }
    }
    return count
  }
}
