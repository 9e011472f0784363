#include "COpenSSLKeys.h"

#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <string.h>

#include "library.h"

enum {
  /// The longest DER form of an ECDSA signature with P-256.
  DER_MAX = 72,
};

// MARK: ES256

// An ECDSA signature is two numbers. In JSON Web Tokens one follows the other (RFC 7518, section
// 3.4); libcrypto encodes them in DER.

/// Encodes two numbers of 32 bytes in DER. Returns the length of the DER form; 0 on failure.
static size_t to_der(const uint8_t numbers[64], unsigned char *der) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(numbers, 32, NULL), *s = BN_bin2bn(numbers + 32, 32, NULL);
  if (pair == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(pair, r, s) != 1) {
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return 0;
  }
  unsigned char *end = der;
  int count = i2d_ECDSA_SIG(pair, &end);
  ECDSA_SIG_free(pair);
  return count > 0 ? (size_t)count : 0;
}

static bool from_der(const unsigned char *der, size_t count, uint8_t numbers[64]) {
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)count);
  bool done = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), numbers, 32) == 32
      && BN_bn2binpad(ECDSA_SIG_get0_s(pair), numbers + 32, 32) == 32;
  ECDSA_SIG_free(pair);
  return done;
}

// MARK: All schemes

static const char *hash(COpenSSLScheme scheme) {
  // EdDSA includes its own hash.
  return scheme == COpenSSLSchemeEdDSA ? NULL : "SHA256";
}

/// The salt of PS256 is as long as the hash (RFC 7518, section 3.5). A key that is limited to PS256
/// refuses the other padding.
static bool set_padding(EVP_PKEY_CTX *context, COpenSSLScheme scheme) {
  if (scheme == COpenSSLSchemeRS256) {
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1;
  }
  if (scheme != COpenSSLSchemePS256) return true;
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

/// Returns the only accepted length of a signature. libcrypto would also accept a PS256 signature
/// without its leading zeros.
static size_t length(EVP_PKEY *key, COpenSSLScheme scheme) {
  switch (scheme) {
  case COpenSSLSchemeRS256:
  case COpenSSLSchemePS256: return (size_t)EVP_PKEY_get_size(key);
  case COpenSSLSchemeES256:
  case COpenSSLSchemeEdDSA: return 64;
  }
}

bool copenssl_key_verify(
    EVP_PKEY *key, COpenSSLScheme scheme, const void *bytes, size_t count,
    const uint8_t *signature, size_t signature_count) {
  unsigned char der[DER_MAX];
  if (signature == NULL || signature_count != length(key, scheme)) return false;
  if (scheme == COpenSSLSchemeES256) {
    signature_count = to_der(signature, der);
    signature = der;
  }
  EVP_PKEY_CTX *options = NULL;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool valid = context != NULL && signature_count > 0
      && EVP_DigestVerifyInit_ex(
             context, &options, hash(scheme), copenssl_library()->context, NULL, key, NULL)
          == 1
      && set_padding(options, scheme)
      && EVP_DigestVerify(
             context, signature, signature_count, content(bytes), count) == 1;
  EVP_MD_CTX_free(context);
  if (!valid) ERR_clear_error();
  return valid;
}

size_t copenssl_key_sign(
    EVP_PKEY *key, COpenSSLScheme scheme, const void *bytes, size_t count, uint8_t *signature) {
  EVP_PKEY_CTX *options = NULL;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  size_t size = COPENSSL_SIGNATURE_MAX;
  bool done = context != NULL
      && EVP_DigestSignInit_ex(
             context, &options, hash(scheme), copenssl_library()->context, NULL, key, NULL)
          == 1
      && set_padding(options, scheme)
      && EVP_DigestSign(context, signature, &size, content(bytes), count) == 1;
  EVP_MD_CTX_free(context);
  if (done && scheme == COpenSSLSchemeES256) {
    uint8_t numbers[64];
    done = from_der(signature, size, numbers);
    if (done) memcpy(signature, numbers, sizeof(numbers));
    size = sizeof(numbers);
  }
  if (!done) ERR_clear_error();
  return done ? size : 0;
}

bool copenssl_key_agree(
    EVP_PKEY *own, EVP_PKEY *other, uint8_t secret[COPENSSL_SCALAR_SIZE]) {
  size_t size = COPENSSL_SCALAR_SIZE;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(copenssl_library()->context, own, NULL);
  bool done = context != NULL && EVP_PKEY_derive_init(context) == 1
      && EVP_PKEY_derive_set_peer(context, other) == 1
      && EVP_PKEY_derive(context, secret, &size) == 1 && size == COPENSSL_SCALAR_SIZE;
  EVP_PKEY_CTX_free(context);
  if (!done) ERR_clear_error();
  return done;
}
