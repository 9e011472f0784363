#pragma once

#include <openssl/evp.h>

/// The algorithms that this program uses. They come from a library context of its own with the
/// default provider, so that no openssl.cnf of the system can take them away.
typedef struct COpenSSLLibrary {
  OSSL_LIB_CTX *context;
  EVP_MD *sha256;
  EVP_MAC *hmac;
  EVP_KDF *hkdf;
  EVP_CIPHER *aes128, *aes256;
} COpenSSLLibrary;

/// Returns the algorithms, fetched once; ends the program if it gets no context. An algorithm that
/// is not available is NULL.
const COpenSSLLibrary *copenssl_library(void);

/// Returns bytes that libcrypto can read: it takes NULL for a missing argument, but an empty text
/// has no address in Swift.
static inline const unsigned char *content(const void *bytes) {
  static const unsigned char nothing[1];
  return bytes == NULL ? nothing : bytes;
}
