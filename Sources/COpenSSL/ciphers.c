#include "COpenSSLKeys.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

static const unsigned char nothing[1];

/// libcrypto takes NULL for a missing argument, but an empty text has no address in Swift.
static const unsigned char *content(const void *bytes) { return bytes == NULL ? nothing : bytes; }

/// Returns the result, and forgets what libcrypto says about a failure.
static bool is_done(int result) {
  if (result != 1) ERR_clear_error();
  return result == 1;
}

bool copenssl_sha256(const void *bytes, size_t count, uint8_t digest[COPENSSL_HASH_SIZE]) {
  return is_done(EVP_Digest(content(bytes), count, digest, NULL, EVP_sha256(), NULL));
}

bool copenssl_hmac(
    const void *key, size_t key_count, const void *bytes, size_t count,
    uint8_t code[COPENSSL_HASH_SIZE]) {
  if (key_count > INT_MAX) return false;
  unsigned int size = COPENSSL_HASH_SIZE;
  return is_done(
      HMAC(EVP_sha256(), content(key), (int)key_count, content(bytes), count, code, &size) != NULL);
}

// MARK: AES-GCM

static const EVP_CIPHER *cipher(size_t key_count) {
  switch (key_count) {
  case 16: return EVP_aes_128_gcm();
  case 32: return EVP_aes_256_gcm();
  default: return NULL;
  }
}

static int seal(
    EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *nonce,
    const uint8_t *text, size_t count, uint8_t *sealed) {
  int written = 0, rest = 0;
  return EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL) == 1
      && EVP_EncryptUpdate(context, sealed, &written, content(text), (int)count) == 1
      && EVP_EncryptFinal_ex(context, sealed + written, &rest) == 1
      && EVP_CIPHER_CTX_ctrl(
             context, EVP_CTRL_AEAD_GET_TAG, COPENSSL_TAG_SIZE, sealed + count) == 1;
}

static int unseal(
    EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *nonce,
    const uint8_t *sealed, size_t count, uint8_t *text) {
  int written = 0, rest = 0;
  // libcrypto only reads the tag, but its parameter is not const.
  return EVP_DecryptInit_ex2(context, cipher, key, nonce, NULL) == 1
      && EVP_CIPHER_CTX_ctrl(
             context, EVP_CTRL_AEAD_SET_TAG, COPENSSL_TAG_SIZE, (void *)(sealed + count)) == 1
      && EVP_DecryptUpdate(context, text, &written, sealed, (int)count) == 1
      && EVP_DecryptFinal_ex(context, text + written, &rest) == 1;
}

bool copenssl_gcm_seal(
    const uint8_t *key, size_t key_count, const uint8_t nonce[COPENSSL_NONCE_SIZE],
    const uint8_t *text, size_t count, uint8_t *sealed) {
  const EVP_CIPHER *kind = cipher(key_count);
  if (kind == NULL || count > INT_MAX) return false;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  bool done = is_done(context != NULL && seal(context, kind, key, nonce, text, count, sealed));
  EVP_CIPHER_CTX_free(context);
  return done;
}

bool copenssl_gcm_open(
    const uint8_t *key, size_t key_count, const uint8_t nonce[COPENSSL_NONCE_SIZE],
    const uint8_t *sealed, size_t count, uint8_t *text) {
  const EVP_CIPHER *kind = cipher(key_count);
  if (kind == NULL || count > INT_MAX) return false;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  bool done = is_done(context != NULL && unseal(context, kind, key, nonce, sealed, count, text));
  EVP_CIPHER_CTX_free(context);
  return done;
}
