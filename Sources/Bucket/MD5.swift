internal import CCrypto

/// An MD5 computation, by OpenSSL.
struct MD5: ~Copyable {
  private let context: OpaquePointer

  /// Has libcrypto leave its memory alone when the process exits. A thread that computed digests may be ending just then,
  /// and would use what was freed. To be called before anything else of libcrypto is.
  static func keepLibraryAtExit() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }

  /// Nil where the library has no MD5, as one restricted to FIPS algorithms.
  init?() {
    guard let context = EVP_MD_CTX_new() else { return nil }
    guard EVP_DigestInit_ex(context, EVP_md5(), nil) == 1 else {
      EVP_MD_CTX_free(context)
      return nil
    }
    self.context = context
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Takes in the next bytes.
  mutating func update(_ bytes: Span<UInt8>) {
    _ = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
  }

  /// The digest of all bytes taken in.
  consuming func finish() -> MD5Digest {
    let bytes = [UInt8](unsafeUninitializedCapacity: MD5Digest.count) { buffer, count in
      EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
      count = MD5Digest.count
    }
    return MD5Digest(bytes.span)
  }
}
