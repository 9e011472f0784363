#include "library.h"

#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static COpenSSLLibrary library;

static void fetch(void) {
  OSSL_LIB_CTX *context = OSSL_LIB_CTX_new();
  if (context == NULL || OSSL_PROVIDER_load(context, "default") == NULL) {
    // Without this library context, the program would use the default one, which openssl.cnf
    // configures.
    fputs("libcrypto cannot be initialized\n", stderr);
    abort();
  }
  library.context = context;
  library.sha256 = EVP_MD_fetch(context, "SHA256", NULL);
  library.hmac = EVP_MAC_fetch(context, "HMAC", NULL);
  library.hkdf = EVP_KDF_fetch(context, "HKDF", NULL);
  library.aes128 = EVP_CIPHER_fetch(context, "AES-128-GCM", NULL);
  library.aes256 = EVP_CIPHER_fetch(context, "AES-256-GCM", NULL);
}

const COpenSSLLibrary *copenssl_library(void) {
  pthread_once(&once, fetch);
  return &library;
}
