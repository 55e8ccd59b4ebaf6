internal import SystemCalls

/// The bundled table in the format of mime.types(5). Types are IANA's where it has one; an extension that several use
/// has the type that a web server would give it. Of an extension that is there twice the first counts.
extension MediaTypes {
  /// All groups together.
  static var bundledText: [UInt8] {
    var text: [UInt8] = []
    let groups: InlineArray<8, StaticString> = [web, images, audio, video, fonts, archives, documents, sources]
    for index in groups.indices { text.append(contentsOf: groups[index].bytes.array) }
    return text
  }

  private static var web: StaticString {
    """
    text/html html htm shtml
    application/xhtml+xml xhtml xht
    text/css css
    text/javascript js mjs cjs
    application/json json map
    application/ld+json jsonld
    application/geo+json geojson
    application/manifest+json webmanifest
    application/wasm wasm
    application/xml xml xsd xsl rng
    application/xslt+xml xslt
    application/rss+xml rss
    application/atom+xml atom
    application/mathml+xml mathml
    text/cache-manifest appcache
    text/vtt vtt
    text/calendar ics ifb
    text/vcard vcf vcard
    application/graphql graphql gql
    application/yaml yaml yml
    application/toml toml
    application/jsonl jsonl ndjson
    application/json5 json5
    application/vnd.apple.mpegurl m3u8
    application/dash+xml mpd
    application/x-web-app-manifest+json webapp
    application/ecmascript es
    text/event-stream sse

    """
  }

  private static var images: StaticString {
    """
    image/jpeg jpg jpeg jpe jfif
    image/png png
    image/apng apng
    image/gif gif
    image/webp webp
    image/avif avif
    image/heic heic
    image/heif heif
    image/jxl jxl
    image/jp2 jp2 jpg2
    image/svg+xml svg svgz
    image/bmp bmp dib
    image/tiff tif tiff
    image/vnd.microsoft.icon ico cur
    image/vnd.adobe.photoshop psd
    image/x-tga tga
    image/x-portable-pixmap ppm
    image/x-portable-graymap pgm
    image/x-portable-bitmap pbm
    image/x-portable-anymap pnm
    image/x-xbitmap xbm
    image/x-xpixmap xpm
    image/x-xcf xcf
    image/x-exr exr
    image/vnd.radiance hdr
    image/x-canon-cr2 cr2
    image/x-canon-cr3 cr3
    image/x-nikon-nef nef
    image/x-adobe-dng dng
    image/x-sony-arw arw
    image/x-olympus-orf orf
    image/x-panasonic-rw2 rw2
    image/x-fuji-raf raf
    image/vnd.djvu djvu djv
    image/ktx ktx
    image/ktx2 ktx2
    image/vnd-ms.dds dds
    image/emf emf
    image/wmf wmf
    image/qoi qoi

    """
  }

  private static var audio: StaticString {
    """
    audio/mpeg mp3 mpga mp2
    audio/mp4 m4a m4b
    audio/aac aac
    audio/ogg ogg oga spx
    audio/opus opus
    audio/flac flac
    audio/wav wav
    audio/webm weba
    audio/midi mid midi kar
    audio/aiff aif aiff aifc
    audio/basic au snd
    audio/x-ms-wma wma
    audio/x-matroska mka
    audio/amr amr
    audio/3gpp 3ga
    audio/mpegurl m3u
    audio/x-scpls pls
    audio/ac3 ac3
    audio/eac3 eac3
    audio/x-caf caf
    audio/x-ape ape
    audio/x-musepack mpc
    audio/x-wavpack wv
    audio/dsf dsf
    audio/x-mod mod
    audio/x-s3m s3m
    audio/x-xm xm
    audio/x-it it

    """
  }

  private static var video: StaticString {
    """
    video/mp4 mp4 m4v mp4v
    video/webm webm
    video/ogg ogv
    video/quicktime mov qt
    video/x-matroska mkv mk3d
    video/x-msvideo avi
    video/mpeg mpeg mpg mpe m1v m2v
    video/mp2t ts m2ts mts
    video/3gpp 3gp 3gpp
    video/3gpp2 3g2
    video/x-flv flv
    video/x-ms-wmv wmv
    video/x-ms-asf asf asx
    video/mj2 mj2
    video/h264 h264
    video/h265 h265 hevc
    video/x-ms-vob vob
    video/x-f4v f4v
    video/dv dv
    application/mxf mxf
    application/ogg ogx

    """
  }

  private static var fonts: StaticString {
    """
    font/woff woff
    font/woff2 woff2
    font/ttf ttf
    font/otf otf
    font/collection ttc otc
    application/vnd.ms-fontobject eot
    application/x-font-type1 pfb pfa pfm afm
    application/x-font-bdf bdf
    application/x-font-pcf pcf

    """
  }

  private static var archives: StaticString {
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

  private static var documents: StaticString {
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

  private static var sources: StaticString {
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
