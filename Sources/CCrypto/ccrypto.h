// The digests of OpenSSL: MD5 for md5Hash, SHA-256 for the names of overflow files.
#include <openssl/evp.h>
#include <openssl/sha.h>
