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
}
