#include "COpenSSLKeys.h"

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <string.h>

#include "library.h"

static const char p256[] = "prime256v1";

/// Returns the key. If it is NULL, clears libcrypto's queue of errors.
static EVP_PKEY *clear_errors_if_null(EVP_PKEY *key) {
  if (key == NULL) ERR_clear_error();
  return key;
}

// MARK: From PEM

/// Gives no password, so that reading an encrypted key fails without a question on the terminal.
static int refuse_password(
    char *password, size_t size, size_t *count, const OSSL_PARAM parameters[], void *context) {
  (void)password, (void)size, (void)count, (void)parameters, (void)context;
  return 0;
}

static EVP_PKEY *decode_key(const unsigned char *bytes, size_t count, int selection) {
  EVP_PKEY *key = NULL;
  OSSL_DECODER_CTX *decoder = OSSL_DECODER_CTX_new_for_pkey(
      &key, "PEM", NULL, NULL, selection, copenssl_library()->context, NULL);
  if (decoder == NULL || OSSL_DECODER_CTX_set_passphrase_cb(decoder, refuse_password, NULL) != 1
      || OSSL_DECODER_from_data(decoder, &bytes, &count) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  OSSL_DECODER_CTX_free(decoder);
  return key;
}

enum {
  /// Checking a longer private key would take seconds.
  PRIVATE_RSA_BITS_MAX = 4096,
};

/// Returns whether a private key can sign: whether its parts are in range and belong together.
static bool is_consistent(EVP_PKEY *key) {
  if (copenssl_key_kind(key) == COpenSSLKeyKindOther || EVP_PKEY_is_a(key, "RSA-PSS")) return false;
  if (EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) > PRIVATE_RSA_BITS_MAX) return false;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(copenssl_library()->context, key, NULL);
  bool consistent = context != NULL && EVP_PKEY_check(context) == 1;
  EVP_PKEY_CTX_free(context);
  return consistent;
}

EVP_PKEY *copenssl_key_of_pem(const void *text, size_t count, bool is_private) {
  if (text == NULL || count > INT_MAX) return NULL;
  EVP_PKEY *key = decode_key(text, count, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY);
  if (key != NULL && is_private && !is_consistent(key)) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  return clear_errors_if_null(key);
}

// MARK: From numbers

static EVP_PKEY *from_parameters(const char *kind, OSSL_PARAM *parameters, int selection) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(copenssl_library()->context, kind, NULL);
  if (parameters != NULL && context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
    EVP_PKEY_fromdata(context, &key, selection, parameters);
  }
  EVP_PKEY_CTX_free(context);
  return key;
}

static OSSL_PARAM *rsa_parameters(const BIGNUM *modulus, const BIGNUM *exponent) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (builder != NULL && modulus != NULL && exponent != NULL
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
    parameters = OSSL_PARAM_BLD_to_param(builder);
  }
  OSSL_PARAM_BLD_free(builder);
  return parameters;
}

EVP_PKEY *copenssl_key_of_rsa(
    const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent, size_t exponent_count) {
  if (modulus == NULL || exponent == NULL || modulus_count > COPENSSL_SIGNATURE_MAX
      || exponent_count > COPENSSL_SIGNATURE_MAX) {
    return NULL;
  }
  BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
  BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
  OSSL_PARAM *parameters = rsa_parameters(n, e);
  EVP_PKEY *key = from_parameters("RSA", parameters, EVP_PKEY_PUBLIC_KEY);
  OSSL_PARAM_free(parameters);
  BN_free(n);
  BN_free(e);
  return clear_errors_if_null(key);
}

EVP_PKEY *copenssl_key_of_point(const uint8_t point[COPENSSL_POINT_SIZE]) {
  // 4 marks an uncompressed point (SEC 1, section 2.3.3).
  if (point[0] != 4) return NULL;
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)p256, 0),
      OSSL_PARAM_construct_octet_string(
          OSSL_PKEY_PARAM_PUB_KEY, (void *)point, COPENSSL_POINT_SIZE),
      OSSL_PARAM_construct_end(),
  };
  return clear_errors_if_null(from_parameters("EC", parameters, EVP_PKEY_PUBLIC_KEY));
}

/// Computes the public key of a private key; false if the private key is 0 or not below the group's
/// order.
static bool multiply(const BIGNUM *scalar, uint8_t point[COPENSSL_POINT_SIZE]) {
  EC_GROUP *group =
      EC_GROUP_new_by_curve_name_ex(copenssl_library()->context, NULL, NID_X9_62_prime256v1);
  EC_POINT *product = group == NULL ? NULL : EC_POINT_new(group);
  bool done = product != NULL && !BN_is_zero(scalar)
      && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0
      && EC_POINT_mul(group, product, scalar, NULL, NULL, NULL) == 1
      && EC_POINT_point2oct(
             group, product, POINT_CONVERSION_UNCOMPRESSED, point, COPENSSL_POINT_SIZE, NULL)
          == COPENSSL_POINT_SIZE;
  EC_POINT_free(product);
  EC_GROUP_free(group);
  return done;
}

static OSSL_PARAM *scalar_parameters(
    const BIGNUM *scalar, const uint8_t point[COPENSSL_POINT_SIZE]) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (builder != NULL
      && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, p256, 0) == 1
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, scalar) == 1
      && OSSL_PARAM_BLD_push_octet_string(
             builder, OSSL_PKEY_PARAM_PUB_KEY, point, COPENSSL_POINT_SIZE) == 1) {
    parameters = OSSL_PARAM_BLD_to_param(builder);
  }
  OSSL_PARAM_BLD_free(builder);
  return parameters;
}

EVP_PKEY *copenssl_key_of_scalar(const uint8_t scalar[COPENSSL_SCALAR_SIZE]) {
  uint8_t point[COPENSSL_POINT_SIZE];
  BIGNUM *number = BN_secure_new();
  EVP_PKEY *key = NULL;
  if (number != NULL && BN_bin2bn(scalar, COPENSSL_SCALAR_SIZE, number) != NULL
      && multiply(number, point)) {
    OSSL_PARAM *parameters = scalar_parameters(number, point);
    key = from_parameters("EC", parameters, EVP_PKEY_KEYPAIR);
    OSSL_PARAM_free(parameters);
  }
  BN_clear_free(number);
  return clear_errors_if_null(key);
}

EVP_PKEY *copenssl_key_of_ed25519(const uint8_t point[COPENSSL_ED25519_SIZE]) {
  return clear_errors_if_null(
      EVP_PKEY_new_raw_public_key_ex(
          copenssl_library()->context, "ED25519", NULL, point, COPENSSL_ED25519_SIZE));
}

EVP_PKEY *copenssl_key_random(void) {
  return clear_errors_if_null(EVP_PKEY_Q_keygen(copenssl_library()->context, NULL, "EC", p256));
}

void copenssl_key_free(EVP_PKEY *key) { EVP_PKEY_free(key); }

// MARK: Properties

static bool is_usable_rsa(const EVP_PKEY *key) {
  int bits = EVP_PKEY_get_bits(key);
  if (bits < 2048 || bits > 16384) return false;
  BIGNUM *modulus = NULL, *exponent = NULL;
  bool usable = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1
      && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 && BN_is_odd(modulus)
      && BN_is_odd(exponent) && !BN_is_one(exponent) && BN_num_bits(exponent) <= 33;
  BN_free(modulus);
  BN_free(exponent);
  return usable;
}

static bool is_p256(const EVP_PKEY *key) {
  char name[32];
  size_t count = 0;
  return EVP_PKEY_get_group_name(key, name, sizeof(name), &count) == 1 && strcmp(name, p256) == 0;
}

COpenSSLKeyKind copenssl_key_kind(const EVP_PKEY *key) {
  COpenSSLKeyKind kind = COpenSSLKeyKindOther;
  bool is_rsa = EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_is_a(key, "RSA-PSS");
  if (is_rsa && is_usable_rsa(key)) {
    kind = COpenSSLKeyKindRSA;
  } else if (EVP_PKEY_is_a(key, "EC") && is_p256(key)) {
    kind = COpenSSLKeyKindP256;
  } else if (EVP_PKEY_is_a(key, "ED25519")) {
    kind = COpenSSLKeyKindEd25519;
  }
  ERR_clear_error();
  return kind;
}

bool copenssl_key_point(const EVP_PKEY *key, uint8_t point[COPENSSL_POINT_SIZE]) {
  BIGNUM *x = NULL, *y = NULL;
  bool done = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &x) == 1
      && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &y) == 1
      && BN_bn2binpad(x, point + 1, 32) == 32 && BN_bn2binpad(y, point + 33, 32) == 32;
  point[0] = 4;
  BN_free(x);
  BN_free(y);
  if (!done) ERR_clear_error();
  return done;
}
