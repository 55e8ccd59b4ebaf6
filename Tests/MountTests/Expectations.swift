/// The property table as the documentation promises it, written down a second time so that a change there shows here.
enum Expected {
  /// Properties that nobody can set.
  static let readOnly = [
    "bucket", "generation", "metageneration", "fullPath", "name", "size", "timeCreated", "updated",
  ]

  /// Fixed properties that can be set, each with a valid value.
  static let writable = [
    "cacheControl": "public,max-age=300",
    "contentDisposition": "attachment; filename=\"summer.pdf\"",
    "contentEncoding": "gzip, br",
    "contentLanguage": "en, de-CH",
    "contentType": "image/jpeg",
    "md5Hash": "AAECAwQFBgcICQoLDA0ODw==",
  ]

  /// What a folder has of these.
  static let folder = ["bucket", "fullPath", "name"]
}
