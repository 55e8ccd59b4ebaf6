import CTestSupport
import SystemCalls
import TestSupport
import Testing

/// Many files, long walks, and what the daemon holds afterwards.
@Suite(.serialized) struct LargeTests {
  @Test func aFolderOfManyFilesIsListedWalkedAndRemoved() throws {
    let count = Effort.isThorough ? 100_000 : 5_000
    try Workshop.with(.root) { shop in
      try shop.run(
        """
        mkdir "$M/many"; cd "$M/many"; seq -f 'file-%06g' \(count) | xargs touch
        [ "$(ls | wc -l)" = \(count) ]; [ "$(ls -U "$B/many" | wc -l)" = \(count) ]; [ "$(ls -la | wc -l)" = \(count + 3) ]
        [ "$(find . -type f -size 0 | wc -l)" = \(count) ]; [ "$(ls | sort | uniq -d | wc -l)" = 0 ]
        cd "$O"; mv "$M/many" "$M/moved"; [ -e "$M/moved/file-000100" ]; rm -r "$M/moved"; [ ! -e "$B/moved" ]
        """, timeout: 300)
    }
  }

  @Test func aTreeOfFoldersIsDeepAndStillRemovable() throws {
    try Workshop.with(.nobody) { shop in
      try shop.run(
        """
        cd "$M"; for i in $(seq 200); do mkdir "level-$i"; cd "level-$i"; done; echo bottom >f; cat f | grep -qx bottom
        setfattr -n user.colour -v red f; getfattr -n user.colour f >/dev/null; getfattr -n user.fullPath f >/dev/null
        cd "$M"; [ "$(find . -type d | wc -l)" = 201 ]; cp -a level-1 copy; diff -r level-1 copy; rm -r copy level-1
        name=$(printf '%0250d' 1); for i in $(seq 40); do mkdir $name; cd $name; done; echo bottom >f.html
        [ "$(cat f.html)" = bottom ]; getfattr -n user.contentType f.html | grep -q text/html
        mv f.html g.txt; getfattr -n user.contentType g.txt | grep -q text/plain; cd "$M"; rm -r $name
        """)
    }
  }

  @Test func theDaemonIsAfterwardsAsItWasBefore() throws {
    let count = Effort.isThorough ? 20_000 : 2_000
    try Workshop.with(.root) { shop in
      let work = """
        mkdir "$M/t"; cd "$M/t"; for d in a b c d; do mkdir $d; (cd $d; seq \(count / 4) | xargs touch); done
        find . -type f -exec setfattr -n user.colour -v red {} +; getfattr -R -d . >/dev/null; cp -a a e; tar cf x.tar b
        exec 9<x.tar; find . -size +1k >/dev/null; cat a/1 b/2; cd "$O"; exec 9<&-; rm -r "$M/t"
        """
      // Each serving thread makes itself a pipe when it first splices: two descriptors, for ten threads.
      try expectNothingKept(of: work, in: shop, rounds: 2, descriptors: 20)
    }
  }

  @Test func everyKindOfToolLeavesTheDaemonAsItWas() throws {
    try Workshop.with(.root, options: MountOptions(["replace=drop"])) { shop in
      let table = Path(MountedBucket.executable).sibling("posix-table").quoted
      let work = """
        mkdir "$M/all"; cd "$M/all"; make_tree from; cp -a from copy; mv copy moved; install -D from/index.html i/a/b
        ln from/index.html linked; rsync -aXAH from/ synced; rsync -aXAH --inplace --delete from/ synced
        tar --xattrs --acls -C from -cf a.tar .; mkdir x y; tar --xattrs --acls --warning=no-timestamp -C x -xpf a.tar
        bsdtar -C x -cf b.tar index.html folder; bsdtar -C y -xf b.tar; (cd y && zip -qry ../a.zip .); unzip -q a.zip -d z
        setfacl -R -m u:4242:r y; getfattr -h -R -d from >dump; (cd x && setfattr -n user.contentType -v text/x-y index.html)
        export GIT_CONFIG_GLOBAL="$O/none"; git init -q repository; (
          cd repository; for i in $(seq 100); do echo "$i" >"f$i"; done; git add -A
          git -c user.name=n -c user.email=e commit -qm one; git -c gc.autoDetach=false gc -q; git fsck --no-progress)
        sqlite3 db 'pragma journal_mode=wal; create table t(a); insert into t values(1); select * from t' >/dev/null
        dd if=/dev/urandom of=direct bs=64k count=8 oflag=direct status=none; openssl md5 direct >/dev/null
        getfattr -n user.md5Hash direct >/dev/null
        python3 -c 'import shutil, tempfile; shutil.copytree("from/folder", "tree"); tempfile.TemporaryFile(dir=".")'
        printf 'int main(void) { return 0; }\n' >m.c; printf 'm: m.c\n\tcc -o m m.c\n' >Makefile; make -s; ./m
        flock direct true; sed -i s/hello/bye/ from/index.html; find . -name '*.tar' -delete
        cd "$O"; rm -r "$M/all"
        # What it is answered is for PosixTableTests to say.
        mkdir -p "$M/walk"; \(table) --seed 1 --only random_walk "$M/walk" >/dev/null; rm -rf "$M/walk"
        """
      try expectNothingKept(of: work, in: shop, rounds: Effort.isThorough ? 5 : 1, descriptors: 1)
    }
  }

  /// Runs a script, then `rounds` times more: what the daemon holds may be a tenth more then, and a MiB or so many
  /// `descriptors`.
  private func expectNothingKept(of work: String, in shop: Workshop, rounds: Int, descriptors: Int) throws {
    // Twice for what is allocated once and kept, on each thread.
    for _ in 0..<2 { try shop.run(work, timeout: 300) }
    let before = try daemon(shop.bucket)
    for _ in 0..<rounds { try shop.run(work, timeout: 300) }
    let after = try daemon(shop.bucket)
    #expect(after.descriptors <= before.descriptors + before.descriptors / 10 + descriptors, "\(before) \(after)")
    // The address sanitizer keeps what was freed, and says itself what was not.
    guard !Effort.isSanitized else { return }
    #expect(after.kilobytes <= before.kilobytes + before.kilobytes / 10 + 1024, "\(before) \(after)")
  }

  /// What the daemon holds when the kernel has forgotten what it could and releases have arrived: descriptors, and memory
  /// of its own.
  private func daemon(_ bucket: MountedBucket) throws -> (descriptors: Int, kilobytes: Int) {
    try Path("/proc/sys/vm/drop_caches").write("2")
    usleep(500_000)
    let process = Path("/proc/\(bucket.pid)")
    let lines = try (process / "status").text().split(separator: "\n")
    let memory = lines.first { $0.hasPrefix("RssAnon") }?.split(separator: " ").dropFirst().first
    return try ((process / "fd").entries().count, memory.flatMap { Int($0) } ?? 0)
  }

  @Test func entriesAreReadAndRemovedByEightAtOnce() throws {
    try Workshop.with(.root) { shop in
      try shop.run(
        """
        cd "$M"; for i in $(seq 8); do ( mkdir d$i; cd d$i; seq 200 | xargs touch; ls -l >/dev/null; rm -r ../d$i ) & done
        wait; [ -z "$(ls -A)" ]
        """)
    }
  }
}
