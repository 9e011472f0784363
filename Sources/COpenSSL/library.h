#pragma once

#include <openssl/evp.h>

/// The algorithms that this program uses. They come from a separate library context with the
/// default provider, so that no openssl.cnf of the system can disable them.
typedef struct COpenSSLLibrary {
  OSSL_LIB_CTX *context;
  EVP_MD *sha256;
  EVP_MAC *hmac;
  EVP_KDF *hkdf;
  EVP_CIPHER *aes128, *aes256;
} COpenSSLLibrary;

/// Returns the algorithms, which are fetched once; ends the program if there is no library context.
/// An algorithm that is not available is NULL.
const COpenSSLLibrary *copenssl_library(void);

/// Returns the address of a text, which is not NULL even for an empty text. Swift passes NULL for
/// an empty text, which libcrypto would treat as a missing argument.
static inline const unsigned char *content(const void *bytes) {
  static const unsigned char nothing[1];
  return bytes == NULL ? nothing : bytes;
}
