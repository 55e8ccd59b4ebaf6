import TestSupport
import Testing

/// Programs that copy and move, as root and as an ordinary user: everything arrives as it would in a local directory.
@Suite struct ToolsCopyTests {
  static let callers = [Caller.root, .nobody]

  @Test(arguments: callers) func cpCopiesInInsideAndOut(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from
        cp -a from "$M/in"; same from "$M/in"; same_attributes from "$M/in"; same from "$B/in"
        cp -a "$M/in" "$M/inside"; same from "$M/inside"; same_attributes from "$M/inside"
        cp -a "$M/inside" out; same from out; same_attributes from out
        cp -r --reflink=auto "$M/in/folder" "$M/plain"; cmp "$M/plain/numbers.txt" from/folder/numbers.txt
        cp --sparse=always "$M/in/sparse" "$M/sparse"; cmp "$M/sparse" from/sparse
        cp -p "$M/in/folder/private" "$M/private"; [ "$(stat -c %a "$M/private")" = 600 ]
        cp -u "$M/in/index.html" "$M/inside/index.html"
        cp -b "$M/in/index.html" "$M/plain/numbers.txt"; cmp "$M/plain/numbers.txt~" from/folder/numbers.txt
        """)
    }
  }

  @Test(arguments: callers) func mvMovesInsideAndAcross(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from; cp -a from copy
        mv copy "$M/tree"; [ ! -e copy ]; same from "$M/tree"; same_attributes from "$M/tree"
        mkdir "$M/sub"; mv "$M/tree" "$M/sub/renamed"; same from "$M/sub/renamed"; same_attributes from "$M/sub/renamed"
        echo old >"$M/old"; echo new >"$M/new"; mv "$M/new" "$M/old"; [ "$(cat "$M/old")" = new ]; [ ! -e "$M/new" ]
        echo new >"$M/new"; mv -n "$M/new" "$M/old" || true; [ "$(cat "$M/new")" = new ]
        mv -T "$M/sub/renamed" "$M/back"; mv "$M/back" out; same from out; same_attributes from out
        [ ! -e "$M/back" ]; [ ! -e "$B/back" ]
        """)
    }
  }

  @Test(arguments: callers) func installAndLn(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        printf program >program
        install -d -m 750 "$M/usr/bin"; install -m 755 program "$M/usr/bin/one"; install -D -m 644 -p program "$M/a/b/c"
        install -m 700 -b program "$M/usr/bin/one"; [ -e "$M/usr/bin/one~" ]
        [ "$(stat -c '%a' "$M/usr/bin" "$M/usr/bin/one" "$M/a/b/c" | tr '\\n' ' ')" = '750 700 644 ' ]
        ln "$M/a/b/c" "$M/hard"; [ "$(stat -c %h "$M/hard")" = 2 ]; [ "$M/hard" -ef "$M/a/b/c" ]
        ln -s a/b/c "$M/soft"; [ "$(readlink "$M/soft")" = a/b/c ]; [ "$(cat "$M/soft")" = program ]
        ln -sf nowhere "$M/soft"; ln -f "$M/usr/bin/one" "$M/hard"; [ "$M/hard" -ef "$M/usr/bin/one" ]
        ln -sr "$M/usr/bin/one" "$M/a/relative"; [ "$(readlink "$M/a/relative")" = ../usr/bin/one ]
        """)
    }
  }

  @Test(arguments: callers) func rsyncRunsTwice(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from
        rsync -aXAH from/ "$M/in/"; same from "$M/in"; same_attributes from "$M/in"
        [ -z "$(rsync -aXAHi from/ "$M/in/")" ]
        rsync -aXAH "$M/in/" out/; same from out; same_attributes from out; [ -z "$(rsync -aXAHi "$M/in/" out/)" ]
        printf 'added\\n' >>from/folder/numbers.txt; setfattr -n user.colour -v green from/index.html
        setfattr -x user.colour from/folder; rm from/dangling; touch -r from/folder/deeper from/folder
        rsync -aXAH --inplace --delete from/ "$M/in/"; same from "$M/in"; same_attributes from "$M/in"
        [ -z "$(rsync -aXAHi --inplace --delete from/ "$M/in/")" ]
        printf 'again\\n' >>from/folder/numbers.txt
        rsync -aXAH --checksum --partial --delay-updates from/ "$M/in/"; same from "$M/in"
        """)
    }
  }

  @Test(arguments: callers) func tarKeepsAttributesAndACLs(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from; setfacl -m u:4242:rw from/index.html; setfacl -d -m g:4243:rx from/folder
        touch -d '2003-03-03' from/folder
        tar --xattrs --acls -C from -cf a.tar .; mkdir "$M/gnu"
        tar --warning=no-timestamp --xattrs --acls --same-permissions -C "$M/gnu" -xf a.tar; same from "$M/gnu"; same_attributes from "$M/gnu"
        diff <(cd from && getfacl -pR .) <(cd "$M/gnu" && getfacl -pR .)
        tar --xattrs --acls -C "$M/gnu" -cf "$M/b.tar" .; mkdir out
        tar --warning=no-timestamp --xattrs --acls --same-permissions -C out -xf "$M/b.tar"; same from out; same_attributes from out
        tar -C from --compare -f "$M/b.tar"
        """)
    }
  }

  @Test(arguments: callers) func bsdtarKeepsAttributesAndACLs(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from; rm from/$'\\xff' from/new*; setfacl -m u:4242:rw from/index.html
        touch -d '2001-02-03 04:05:06.789012345' from/index.html
        bsdtar --format=pax --xattrs --acls -C from -cf a.tar .; mkdir "$M/bsd"
        bsdtar --xattrs --acls -p -C "$M/bsd" -xf a.tar; same from "$M/bsd"; same_attributes from "$M/bsd"
        bsdtar --format=pax --xattrs --acls -C "$M/bsd" -cf b.tar .; mkdir out; bsdtar --xattrs --acls -p -C out -xf b.tar
        same from out; same_attributes from out
        diff <(cd from && getfacl -pR .) <(cd out && getfacl -pR .)
        """)
    }
  }

  @Test(arguments: callers) func zipAndUnzip(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from; rm -f from/fifo from/dangling from/$'\\xff' from/new*
        cp -a from "$M/in"; (cd "$M/in" && zip -qry "$M/a.zip" .); unzip -q "$M/a.zip" -d "$M/out"
        diff -r --no-dereference from "$M/out"; unzip -qt "$M/a.zip" >/dev/null
        printf more >"$M/in/more"; (cd "$M/in" && zip -qu "$M/a.zip" more); unzip -qo "$M/a.zip" -d "$M/out"
        cmp "$M/in/more" "$M/out/more"; [ -z "$(find "$B" -name 'zi*')" ]
        """)
    }
  }

  @Test(arguments: callers) func getfattrsDumpIsRestored(caller: Caller) throws {
    try Workshop.with(caller) { shop in
      try shop.run(
        """
        make_tree from; rm from/dangling; cp -a from "$M/one"; cp -r --no-preserve=all from/folder "$M/two.d"
        setfattr -n user.contentType -v text/plain "$M/one/index.html"
        setfattr -n user.cacheControl -v 'public, max-age=60' "$M/one/index.html"
        (cd "$M/one" && getfattr -R -d .) >dump; grep -q contentType dump
        cp -r --preserve=mode,links from "$M/restored"; (cd "$M/restored" && setfattr --restore="$O/dump")
        same_attributes "$M/one" "$M/restored"
        """)
    }
  }
}
