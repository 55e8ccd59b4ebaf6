import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Programs that know extended attributes by names of their own, and the system's ways to mount.
@Suite struct ProgramTests {
  @Test func aWebServerTakesTheContentTypeFromTheMount() throws {
    // lighttpd reads `user.mime_type` once it is told to; the port is the kernel's choice.
    try MountedBucket.with { bucket in
      try (bucket / "page").write("<h1>Hello</h1>")
      try (bucket / "page").set("contentType", "text/html; charset=utf-8")
      try TemporaryDirectory.with { folder in
        let socket = folder / "socket"
        try (folder / "lighttpd.conf").write(
          """
          server.document-root = "\(bucket.mountpoint)"
          server.bind = "\(socket)"
          mimetype.use-xattr = "enable"
          mimetype.xattr-name = "user.mime_type"
          """)
        let server = try Program(["lighttpd", "-D", "-f", "\(folder)/lighttpd.conf"])
        defer { server.signal(SIGTERM) }
        for _ in 0..<200 where !socket.exists { usleep(20_000) }
        let answer = try Shell.expect("curl -sS -i --unix-socket \(socket) http://localhost/page")
        #expect(answer.contains("Content-Type: text/html; charset=utf-8"), "\(answer)")
        #expect(answer.hasSuffix("<h1>Hello</h1>"), "\(answer)")
      }
    }
  }

  @Test func rcloneCarriesMetadataOutAndIn() throws {
    try MountedBucket.with(MountOptions(["names=http", "foreign=keep"])) { bucket in
      try (bucket / "in").makeFolder()
      try (bucket / "in/f.bin").write("content")
      try (bucket / "in/f.bin").set("content-type", "image/webp")
      try (bucket / "in/f.bin").set("cache-control", "no-store")
      try (bucket / "in/f.bin").set("location", "here")
      _ = try TemporaryDirectory.with(beside: bucket.backing) { folder in
        try Shell.expect(
          """
          rclone --config /dev/null copy -M \(bucket)/in \(folder)/out
          rclone --config /dev/null copy -M \(folder)/out \(bucket)/back
          """.replacing("\(bucket)", with: "\(bucket.mountpoint)"))
      }
      #expect(try (bucket / "back/f.bin").text() == "content")
      #expect(try (bucket / "back/f.bin").attribute("contentType") == "image/webp")
      #expect(try (bucket / "back/f.bin").attribute("cacheControl") == "no-store")
      #expect(try (bucket / "back/f.bin").attribute("location") == "here")
    }
  }

  @Test func namesOfHeadersAreListedAndBothAreAccepted() throws {
    try MountedBucket.with(MountOptions(["names=http"])) { bucket in
      try (bucket / "f").write("x")
      try (bucket / "f").set("contentType", "text/plain")
      try (bucket / "f").set("cache-control", "no-store")
      #expect(try (bucket / "f").attributeNames() == ["user.cache-control", "user.content-type"])
      #expect(try (bucket / "f").attribute("content-type") == "text/plain")
      #expect(try (bucket / "f").attribute("cacheControl") == "no-store")
      #expect(try (bucket / "f").attribute("mime_type") == "text/plain")
      let dump = try Shell.run([MountedBucket.executable, "dump", "."], in: bucket.mountpoint)
      #expect(dump.lines == [#"{"fullPath":"f","cacheControl":"no-store","contentType":"text/plain"}"#])
    }
  }

  @Test func foreignValuesAreKeptAsCustomMetadata() throws {
    try MountedBucket.with(MountOptions(["foreign=keep"])) { bucket in
      try (bucket / "f").write("x")
      try (bucket / "f").set("size", "7")
      #expect(try (bucket / "f").attribute("size") == "1")
      #expect(try (bucket / "f").attribute("customMetadata.size") == "7")
    }
  }

  @Test func fstabMountsByTheHelper() throws {
    try TemporaryDirectory.with { folder in
      try (folder / "bucket").makeFolder()
      try (folder / "mount").makeFolder()
      try (folder / "bucket/f.html").write("x")
      // mount(8) finds helpers in /sbin alone: in a mount namespace of its own there is ours.
      let script = """
        mkdir upper layers; ln -s \(MountedBucket.executable) upper/mount.fuse.bucketfs
        mount -t tmpfs tmpfs layers; mkdir layers/new layers/spare; cp -P upper/* layers/new
        mount -t overlay -o lowerdir=/usr/sbin,upperdir=$PWD/layers/new,workdir=$PWD/layers/spare overlay /usr/sbin
        echo "$PWD/bucket $PWD/mount fuse.bucketfs ro,noexec,list=all,bucket=named,nofail 0 0" >fstab
        mount -T fstab "$PWD/mount"
        getfattr --only-values -n user.contentType mount/f.html; echo
        getfattr --only-values -n user.bucket mount/f.html; echo
        grep " $PWD/mount " /proc/self/mounts
        ! touch mount/f.html 2>/dev/null
        umount mount
        """
      let outcome = try Shell.run(
        ["unshare", "--mount", "--propagation", "private", "bash", "-euc", script], in: folder)
      #expect(outcome.isClean, "\(outcome)")
      #expect(outcome.lines.prefix(2) == ["text/html", "named"], "\(outcome)")
      #expect(outcome.lines.last?.contains("fuse.bucketfs ro,") == true, "\(outcome)")
      #expect(outcome.lines.last?.contains("noexec") == true, "\(outcome)")
    }
  }

  @Test func whatIsInstalledIsTakenAway() throws {
    try TemporaryDirectory.with { folder in
      let scripts =
        "$(git -C \(#filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }) rev-parse --show-toplevel)/scripts"
      try Shell.expect(
        """
        prefix=$PWD/prefix; mkdir "$prefix"
        \(scripts)/install --prefix "$prefix" --program \(MountedBucket.executable)
        [ "$("$prefix/bin/bucketfs" --version)" = "$(\(MountedBucket.executable) --version)" ]
        [ "$(find "$prefix" -type f -o -type l | wc -l)" -eq 9 ]
        grep -q "^ExecStart=$prefix/bin/bucketfs mount" "$prefix/lib/systemd/system/bucketfs@.service"
        systemd-analyze --man=no verify "$prefix/lib/systemd/system/bucketfs@.service"
        \(scripts)/uninstall --prefix "$prefix"
        [ -z "$(ls -A "$prefix")" ]
        """, in: folder)
    }
  }

  @Test func aServiceSaysWhenItIsReadyAndReloads() throws {
    try TemporaryDirectory.with { folder in
      // A datagram socket that prints what comes.
      let listener = try Program(
        [
          "python3", "-c",
          """
          import socket, sys
          s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("notify"); s.settimeout(20)
          print(s.recv(4096).decode().split()[0], flush=True); print(s.recv(4096).decode(), flush=True)
          """,
        ], in: folder)
      for _ in 0..<500 where !(folder / "notify").exists { usleep(10_000) }
      try (folder / "bucket").makeFolder()
      try (folder / "mount").makeFolder()
      let daemon = try Program(
        [
          MountedBucket.executable, "mount", "-f", "--log-level=info", "--log-format=json", "\(folder)/bucket",
          "\(folder)/mount",
        ], environment: ["NOTIFY_SOCKET": "\(folder)/notify"])
      for _ in 0..<1000 where listener.standardOutput.isEmpty { usleep(10_000) }
      #expect(String(decoding: listener.standardOutput, as: UTF8.self) == "READY=1\n")
      #expect(Mounts.types(at: folder / "mount") == ["fuse.bucketfs"])
      daemon.signal(SIGHUP)
      let line = #""level":"info","kind":"start","message":"read /etc/mime.types again"}"#
      for _ in 0..<1000 where !daemon.standardError.contains(line) { usleep(10_000) }
      #expect(daemon.standardError.contains(line), "\(daemon.standardError)")
      daemon.signal(SIGTERM)
      #expect(daemon.wait(seconds: 20) == 0)
      #expect(listener.wait(seconds: 20) == 0, "\(listener.standardError)")
      #expect(String(decoding: listener.standardOutput, as: UTF8.self).hasSuffix("STOPPING=1\n"))
    }
  }

  @Test func statusCountsWhatTheMountDoes() throws {
    try MountedBucket.with { bucket in
      try (bucket / "f").write("x")
      #expect(throws: Errno.noData) { try (bucket / "f").attribute("location") }
      func status(_ words: String...) throws -> Outcome {
        try Shell.run([MountedBucket.executable, "status"] + words + [bucket.mountpoint.description])
      }
      let json = try status("--json")
      #expect(json.isClean && json.text.contains(#""errors":{"#) && json.text.contains(#""ENODATA":"#), "\(json)")
      #expect(json.text.contains(#""latency":{"lookup":{"p50":"#), "\(json)")
      let table = try status()
      #expect(table.isClean && table.text.contains("passthrough") && table.text.contains("ENODATA"), "\(table)")
      let metrics = try status("--prometheus")
      for line in metrics.lines where !line.hasPrefix("#") {
        #expect(
          line.wholeMatch(of: /bucketfs_\w+(\{[a-z]+="[\w.]+"(,[a-z]+="[\w.]+")?\})? [0-9.e-]+/) != nil, "\(line)")
      }
      #expect(metrics.lines.contains { $0.hasPrefix(#"bucketfs_requests_total{kind="getxattr"} "#) }, "\(metrics)")
      let other = try Shell.run([MountedBucket.executable, "status", bucket.backing.description])
      #expect(other.status == 1 && other.errors.contains("not the mountpoint"), "\(other)")
    }
  }
}
