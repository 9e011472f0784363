#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Hashes, codes, encryption and signatures by the system's libcrypto. Functions that return a bool
// return false if libcrypto refuses the input or fails; their output is then undefined.

enum {
  COPENSSL_HASH_SIZE = 32,
  COPENSSL_SHA1_SIZE = 20,
  COPENSSL_TAG_SIZE = 16,
  COPENSSL_NONCE_SIZE = 12,
  COPENSSL_POINT_SIZE = 65,
  COPENSSL_SCALAR_SIZE = 32,
  COPENSSL_ED25519_SIZE = 32,
  /// The longest signature: RSA with 16,384 bits.
  COPENSSL_SIGNATURE_MAX = 2048,
};

#ifdef __cplusplus
extern "C" {
#endif

/// SHA-256 (FIPS 180-4).
bool copenssl_sha256(
    const void *_Nullable bytes, size_t count, uint8_t digest[_Nonnull COPENSSL_HASH_SIZE]);

/// HMAC with SHA-256 (RFC 2104).
bool copenssl_hmac(
    const void *_Nullable key, size_t key_count, const void *_Nullable bytes, size_t count,
    uint8_t code[_Nonnull COPENSSL_HASH_SIZE]);

/// HMAC with SHA-1, for services that sign with nothing better.
bool copenssl_hmac_sha1(
    const void *_Nullable key, size_t key_count, const void *_Nullable bytes, size_t count,
    uint8_t code[_Nonnull COPENSSL_SHA1_SIZE]);

/// HKDF with SHA-256 (RFC 5869).
///
/// - Parameter count: the length of the derived key, 1 to 255 hashes.
bool copenssl_hkdf(
    const void *_Nullable secret, size_t secret_count, const void *_Nullable salt,
    size_t salt_count, const void *_Nullable info, size_t info_count, uint8_t *_Nonnull key,
    size_t count);

/// Encrypts with AES-GCM (NIST SP 800-38D).
///
/// - Parameters:
///   - key: of 16 or 32 bytes.
///   - sealed: gets the encrypted text and its tag of COPENSSL_TAG_SIZE bytes.
bool copenssl_gcm_seal(
    const uint8_t *_Nonnull key, size_t key_count,
    const uint8_t nonce[_Nonnull COPENSSL_NONCE_SIZE], const uint8_t *_Nullable text, size_t count,
    uint8_t *_Nonnull sealed);

/// Decrypts a text that `copenssl_gcm_seal` has encrypted; false if the text was not encrypted with
/// this key and nonce.
///
/// - Parameter count: the length of the text, without the tag that follows it.
bool copenssl_gcm_open(
    const uint8_t *_Nonnull key, size_t key_count,
    const uint8_t nonce[_Nonnull COPENSSL_NONCE_SIZE], const uint8_t *_Nonnull sealed, size_t count,
    uint8_t *_Nonnull text);

// MARK: - Keys

/// A public key, or a private key with its public key. Any thread may use it.
typedef struct evp_pkey_st COpenSSLKey;

typedef enum __attribute__((enum_extensibility(closed))) COpenSSLKeyKind : int32_t {
  /// Any kind that is not listed here, or an RSA key that is not accepted. An accepted one has
  /// 2,048 to 16,384 bits, an odd modulus, and an odd exponent of at least 3 and at most 33 bits.
  COpenSSLKeyKindOther = 0,
  /// An RSA key. A public one may be limited to PS256.
  COpenSSLKeyKindRSA,
  COpenSSLKeyKindP256,
  COpenSSLKeyKindEd25519,
} COpenSSLKeyKind;

/// A signature algorithm by its name in JSON Web Tokens (RFC 7518, RFC 8037).
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLScheme : int32_t {
  COpenSSLSchemeRS256 = 0,
  COpenSSLSchemePS256,
  COpenSSLSchemeES256,
  COpenSSLSchemeEdDSA,
} COpenSSLScheme;

/// Reads a key in PEM. Returns NULL if the text is no key, or a key that is encrypted with a
/// password. It also returns NULL for a private key whose parts do not belong together, and for a
/// private RSA key of more than 4,096 bits. Checking a private RSA key takes 0.06 s with 2,048 bits
/// and half a second with 4,096.
COpenSSLKey *_Nullable copenssl_key_of_pem(
    const void *_Nullable text, size_t count, bool is_private);

/// Reads a public RSA key from its numbers, which are big-endian.
COpenSSLKey *_Nullable copenssl_key_of_rsa(
    const uint8_t *_Nullable modulus, size_t modulus_count, const uint8_t *_Nullable exponent,
    size_t exponent_count);

/// Reads an uncompressed point of the curve P-256; NULL if the point is not on the curve.
COpenSSLKey *_Nullable copenssl_key_of_point(const uint8_t point[_Nonnull COPENSSL_POINT_SIZE]);

/// Reads a private key of the curve P-256; NULL if the key is 0 or not below the group's order.
COpenSSLKey *_Nullable copenssl_key_of_scalar(const uint8_t scalar[_Nonnull COPENSSL_SCALAR_SIZE]);

/// Reads a public key of Ed25519 from its encoded point.
COpenSSLKey *_Nullable copenssl_key_of_ed25519(
    const uint8_t point[_Nonnull COPENSSL_ED25519_SIZE]);

/// Creates a random private key of the curve P-256.
COpenSSLKey *_Nullable copenssl_key_random(void);

void copenssl_key_free(COpenSSLKey *_Nonnull key);

COpenSSLKeyKind copenssl_key_kind(const COpenSSLKey *_Nonnull key);

/// Writes the public key of a key of the curve P-256 as an uncompressed point.
bool copenssl_key_point(
    const COpenSSLKey *_Nonnull key, uint8_t point[_Nonnull COPENSSL_POINT_SIZE]);

/// Returns whether a signature of the bytes is valid. The key must be of the scheme's kind. A
/// signature of ES256 consists of two numbers of 32 bytes each.
bool copenssl_key_verify(
    COpenSSLKey *_Nonnull key, COpenSSLScheme scheme, const void *_Nullable bytes, size_t count,
    const uint8_t *_Nullable signature, size_t signature_count);

/// Signs bytes with a private key of the scheme's kind.
///
/// - Parameter signature: COPENSSL_SIGNATURE_MAX bytes.
/// - Returns: the length of the signature; 0 if signing failed.
size_t copenssl_key_sign(
    COpenSSLKey *_Nonnull key, COpenSSLScheme scheme, const void *_Nullable bytes, size_t count,
    uint8_t *_Nonnull signature);

/// Agrees on a secret with the owner of another key (ECDH); both keys are of the curve P-256.
bool copenssl_key_agree(
    COpenSSLKey *_Nonnull own, COpenSSLKey *_Nonnull other,
    uint8_t secret[_Nonnull COPENSSL_SCALAR_SIZE]);

#ifdef __cplusplus
}
#endif
