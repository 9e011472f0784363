#include "COpenSSLKeys.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "library.h"

/// Returns whether a call was successful, and clears libcrypto's queue of errors after a failure.
static bool is_done(int result) {
  if (result != 1) ERR_clear_error();
  return result == 1;
}

bool copenssl_sha256(const void *bytes, size_t count, uint8_t digest[COPENSSL_HASH_SIZE]) {
  const EVP_MD *sha256 = copenssl_library()->sha256;
  return is_done(
      sha256 != NULL && EVP_Digest(content(bytes), count, digest, NULL, sha256, NULL) == 1);
}

/// Selects the hash for HMAC or HKDF.
static OSSL_PARAM digest_parameter(const char *hash) {
  return OSSL_PARAM_construct_utf8_string(OSSL_ALG_PARAM_DIGEST, (char *)hash, 0);
}

static OSSL_PARAM bytes_parameter(const char *name, const void *bytes, size_t count) {
  return OSSL_PARAM_construct_octet_string(name, (void *)content(bytes), count);
}

static bool hmac(
    const char *hash, const void *key, size_t key_count, const void *bytes, size_t count,
    uint8_t *code, size_t code_count) {
  OSSL_PARAM parameters[] = {digest_parameter(hash), OSSL_PARAM_construct_end()};
  EVP_MAC *mac = copenssl_library()->hmac;
  EVP_MAC_CTX *context = mac == NULL ? NULL : EVP_MAC_CTX_new(mac);
  size_t size = 0;
  bool done = is_done(
      context != NULL && EVP_MAC_init(context, content(key), key_count, parameters) == 1
      && EVP_MAC_update(context, content(bytes), count) == 1
      && EVP_MAC_final(context, code, &size, code_count) == 1);
  EVP_MAC_CTX_free(context);
  return done;
}

bool copenssl_hmac(
    const void *key, size_t key_count, const void *bytes, size_t count,
    uint8_t code[COPENSSL_HASH_SIZE]) {
  return hmac("SHA256", key, key_count, bytes, count, code, COPENSSL_HASH_SIZE);
}

bool copenssl_hmac_sha1(
    const void *key, size_t key_count, const void *bytes, size_t count,
    uint8_t code[COPENSSL_SHA1_SIZE]) {
  return hmac("SHA1", key, key_count, bytes, count, code, COPENSSL_SHA1_SIZE);
}

bool copenssl_hkdf(
    const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info,
    size_t info_count, uint8_t *key, size_t count) {
  OSSL_PARAM parameters[] = {
      digest_parameter("SHA256"),
      bytes_parameter(OSSL_KDF_PARAM_KEY, secret, secret_count),
      bytes_parameter(OSSL_KDF_PARAM_SALT, salt, salt_count),
      bytes_parameter(OSSL_KDF_PARAM_INFO, info, info_count),
      OSSL_PARAM_construct_end(),
  };
  EVP_KDF *hkdf = copenssl_library()->hkdf;
  EVP_KDF_CTX *context = hkdf == NULL ? NULL : EVP_KDF_CTX_new(hkdf);
  bool done = is_done(context != NULL && EVP_KDF_derive(context, key, count, parameters) == 1);
  EVP_KDF_CTX_free(context);
  return done;
}

// MARK: AES-GCM

static const EVP_CIPHER *cipher(size_t key_count) {
  switch (key_count) {
  case 16: return copenssl_library()->aes128;
  case 32: return copenssl_library()->aes256;
  default: return NULL;
  }
}

static int seal(
    EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *nonce,
    const uint8_t *text, size_t count, uint8_t *sealed) {
  int written_count = 0, final_count = 0;
  return EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL) == 1
      && EVP_EncryptUpdate(context, sealed, &written_count, content(text), (int)count) == 1
      && EVP_EncryptFinal_ex(context, sealed + written_count, &final_count) == 1
      && EVP_CIPHER_CTX_ctrl(
             context, EVP_CTRL_AEAD_GET_TAG, COPENSSL_TAG_SIZE, sealed + count) == 1;
}

static int unseal(
    EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *nonce,
    const uint8_t *sealed, size_t count, uint8_t *text) {
  int written_count = 0, final_count = 0;
  // libcrypto only reads the tag, but its parameter is not const.
  return EVP_DecryptInit_ex2(context, cipher, key, nonce, NULL) == 1
      && EVP_CIPHER_CTX_ctrl(
             context, EVP_CTRL_AEAD_SET_TAG, COPENSSL_TAG_SIZE, (void *)(sealed + count)) == 1
      && EVP_DecryptUpdate(context, text, &written_count, sealed, (int)count) == 1
      && EVP_DecryptFinal_ex(context, text + written_count, &final_count) == 1;
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
