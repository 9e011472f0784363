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

/// Returns the algorithms, fetched once. A member is NULL if memory was short.
const COpenSSLLibrary *copenssl_library(void);
