/// The groups of the bundled table that are no media.
extension MediaTypes {
  static var archives: StaticString {
    """
    application/gzip gz tgz gzip
    application/zip zip
    application/x-tar tar
    application/x-bzip2 bz2 tbz tbz2
    application/x-xz xz txz
    application/zstd zst tzst
    application/x-lzma lzma
    application/x-lzip lz
    application/x-lz4 lz4
    application/x-lzop lzo
    application/x-compress z
    application/x-brotli br
    application/x-7z-compressed 7z
    application/vnd.rar rar
    application/x-cpio cpio
    application/x-archive a ar
    application/x-iso9660-image iso
    application/x-apple-diskimage dmg
    application/vnd.debian.binary-package deb udeb
    application/x-rpm rpm
    application/java-archive jar war ear
    application/vnd.android.package-archive apk
    application/x-ios-app ipa
    application/vnd.ms-cab-compressed cab
    application/x-lzh-compressed lzh lha
    application/x-stuffit sit sitx
    application/x-xar xar pkg
    application/x-msi msi
    application/x-qemu-disk qcow2 qcow
    application/x-virtualbox-vdi vdi
    application/x-virtualbox-vmdk vmdk
    application/x-xpinstall xpi
    application/x-chrome-extension crx
    application/vnd.flatpak flatpak
    application/vnd.appimage appimage
    application/warc warc

    """
  }

  static var documents: StaticString {
    """
    text/plain txt text log conf cfg ini asc nfo
    application/pdf pdf
    text/markdown md markdown
    text/csv csv
    text/tab-separated-values tsv
    application/rtf rtf
    application/postscript ps eps ai
    application/epub+zip epub
    application/x-mobipocket-ebook mobi prc
    application/vnd.amazon.ebook azw azw3
    application/msword doc dot
    application/vnd.ms-excel xls xlt xla
    application/vnd.ms-powerpoint ppt pps pot
    application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
    application/vnd.openxmlformats-officedocument.wordprocessingml.template dotx
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
    application/vnd.openxmlformats-officedocument.spreadsheetml.template xltx
    application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
    application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx
    application/vnd.openxmlformats-officedocument.presentationml.template potx
    application/vnd.ms-word.document.macroenabled.12 docm
    application/vnd.ms-excel.sheet.macroenabled.12 xlsm
    application/vnd.ms-powerpoint.presentation.macroenabled.12 pptm
    application/vnd.oasis.opendocument.text odt
    application/vnd.oasis.opendocument.text-template ott
    application/vnd.oasis.opendocument.spreadsheet ods
    application/vnd.oasis.opendocument.presentation odp
    application/vnd.oasis.opendocument.graphics odg
    application/vnd.oasis.opendocument.formula odf
    application/vnd.oasis.opendocument.database odb
    application/vnd.apple.pages pages
    application/vnd.apple.numbers numbers
    application/vnd.apple.keynote key
    application/vnd.visio vsd vsdx
    application/vnd.ms-outlook msg
    message/rfc822 eml mht mhtml
    application/mbox mbox
    application/oxps oxps xps
    application/x-tex tex latex ltx
    application/x-bibtex bib
    application/x-dvi dvi
    application/vnd.sqlite3 sqlite sqlite3 db
    application/vnd.apache.parquet parquet
    application/vnd.apache.arrow.file arrow feather
    application/avro avro
    application/x-hdf5 h5 hdf5
    application/x-subrip srt
    application/gpx+xml gpx
    application/vnd.google-earth.kml+xml kml
    application/vnd.google-earth.kmz kmz
    application/pgp-encrypted pgp gpg
    application/pgp-signature sig
    application/x-x509-ca-cert crt cer der
    application/x-pem-file pem
    application/pkcs12 p12 pfx
    application/x-bittorrent torrent
    application/x-shockwave-flash swf
    application/octet-stream bin img dat
    model/gltf+json gltf
    model/gltf-binary glb
    model/stl stl
    model/obj obj
    model/3mf 3mf
    model/vnd.usdz+zip usdz
    image/vnd.dwg dwg
    image/vnd.dxf dxf
    text/x-rst rst
    text/troff man roff
    text/x-org org
    text/asciidoc adoc asciidoc

    """
  }

  static var sources: StaticString {
    """
    text/x-csrc c
    text/x-chdr h
    text/x-c++src cpp cc cxx
    text/x-c++hdr hpp hh hxx
    text/x-objcsrc m mm
    text/x-swift swift
    text/x-java java
    text/x-kotlin kt kts
    text/x-scala scala
    text/x-groovy groovy gradle
    text/x-go go
    text/rust rs
    text/x-python py pyw pyi
    application/x-python-code pyc pyo
    application/x-ipynb+json ipynb
    application/x-ruby rb
    application/x-perl pl pm
    application/x-httpd-php php
    application/x-sh sh bash zsh
    application/x-csh csh
    application/x-powershell ps1 psm1
    application/x-bat bat cmd
    text/tsx tsx
    text/jsx jsx
    text/x-typescript cts
    text/x-vue vue
    text/x-svelte svelte
    text/x-sass sass
    text/x-scss scss
    text/x-less less
    text/x-stylus styl
    application/sql sql
    text/x-lua lua
    text/x-r r
    text/x-julia jl
    text/x-haskell hs lhs
    text/x-ocaml ml mli
    text/x-elixir ex exs
    text/x-erlang erl hrl
    text/x-clojure clj cljs
    text/x-lisp lisp el
    text/x-scheme scm
    text/x-fsharp fs fsx
    text/x-csharp cs
    text/x-vb vb
    text/x-pascal pas
    text/x-fortran f f90 f95
    text/x-asm s asm
    text/x-dart dart
    text/x-zig zig
    text/x-nim nim
    text/x-d d
    text/x-cmake cmake
    text/x-makefile mk mak
    text/x-diff diff patch
    text/x-protobuf proto
    text/x-tcl tcl tk
    text/x-handlebars hbs
    text/x-nix nix
    text/x-terraform tf
    text/x-properties properties
    application/x-java-jnlp-file jnlp
    application/java-vm class
    application/x-sharedlib so
    application/x-object o
    application/x-msdownload exe dll

    """
  }
}
