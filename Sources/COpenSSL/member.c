#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>

#include "fault.h"
#include "prepare.h"

/// Gives no password, so that reading an encrypted key fails without a question on the terminal.
static int no_password(char *password, int capacity, int purpose, void *context) {
  (void)password, (void)capacity, (void)purpose, (void)context;
  return -1;
}

static BIO *open_text(COpenSSLText text) {
  return text.count > INT_MAX ? NULL : BIO_new_mem_buf(text.start, (int)text.count);
}

/// Returns whether the last read ended at the end of the text, not at a malformed block.
static bool has_ended(void) {
  return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

static bool trust(SSL_CTX *context, COpenSSLText authority) {
  BIO *text = open_text(authority);
  if (text == NULL) return false;
  X509_STORE *store = SSL_CTX_get_cert_store(context);
  bool is_good = true;
  int count = 0;
  for (X509 *next; is_good && (next = PEM_read_bio_X509(text, NULL, no_password, NULL)); count++) {
    is_good = X509_STORE_add_cert(store, next) == 1;
    X509_free(next);
  }
  BIO_free(text);
  return is_good && count > 0 && has_ended();
}

/// Sets the member's own certificate, and then the intermediate ones.
static bool use_certificates(SSL_CTX *context, COpenSSLText certificates) {
  BIO *text = open_text(certificates);
  if (text == NULL) return false;
  X509 *certificate = PEM_read_bio_X509(text, NULL, no_password, NULL);
  bool is_good = certificate != NULL && SSL_CTX_use_certificate(context, certificate) == 1;
  X509_free(certificate);
  for (X509 *next; is_good && (next = PEM_read_bio_X509(text, NULL, no_password, NULL));) {
    is_good = SSL_CTX_add1_chain_cert(context, next) == 1;
    X509_free(next);
  }
  BIO_free(text);
  return is_good && has_ended();
}

static EVP_PKEY *read_key(COpenSSLText key) {
  BIO *text = open_text(key);
  if (text == NULL) return NULL;
  EVP_PKEY *result = PEM_read_bio_PrivateKey(text, NULL, no_password, NULL);
  BIO_free(text);
  return result;
}

static COpenSSLFile use_key(SSL_CTX *context, COpenSSLText text) {
  EVP_PKEY *key = read_key(text);
  if (key == NULL) return COpenSSLFileKey;
  bool fits = X509_check_private_key(SSL_CTX_get0_certificate(context), key) == 1;
  bool is_used = fits && SSL_CTX_use_PrivateKey(context, key) == 1;
  EVP_PKEY_free(key);
  return is_used ? COpenSSLFileNone : fits ? COpenSSLFileKey : COpenSSLFileForeignKey;
}

static COpenSSLFile load(
    SSL_CTX *context, COpenSSLText certificates, COpenSSLText key, COpenSSLText authority) {
  if (!trust(context, authority)) return COpenSSLFileAuthority;
  if (!use_certificates(context, certificates)) return COpenSSLFileCertificate;
  return use_key(context, key);
}

COpenSSLContext *copenssl_context_of_member(
    COpenSSLText certificates, COpenSSLText key, COpenSSLText authority, COpenSSLFile *unusable) {
  *unusable = COpenSSLFileNone;
  SSL_CTX *context = context_prepare(SSL_CTX_new(TLS_server_method()));
  if (context == NULL) return NULL;
  // Sessions are not resumed, so that the certificate is verified for each connection.
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  *unusable = load(context, certificates, key, authority);
  ERR_clear_error();
  if (*unusable == COpenSSLFileNone) return context;
  SSL_CTX_free(context);
  return NULL;
}

// MARK: Trust

static bool set_expected_host(X509_VERIFY_PARAM *parameters, const char *host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return true;
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1;
}

/// Runs a prepared check (its certificate and purpose are set) for a host and a time, which is in
/// seconds since 1970.
static int run_check(X509_STORE_CTX *check, const char *host, int64_t seconds) {
  X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(check);
  X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
  if (!set_expected_host(parameters, host)) return X509_V_ERR_OUT_OF_MEM;
  bool is_good = X509_verify_cert(check) == 1;
  int code = X509_STORE_CTX_get_error(check);
  return is_good || code != X509_V_OK ? code : X509_V_ERR_UNSPECIFIED;
}

/// Returns OpenSSL's verification code for the certificate when it is used for a purpose; X509_V_OK
/// if it is valid.
static int verdict(const SSL_CTX *context, const char *purpose, const char *host, int64_t seconds) {
  STACK_OF(X509) *chain = NULL;
  SSL_CTX_get0_chain_certs((SSL_CTX *)context, &chain);
  X509_STORE_CTX *check = X509_STORE_CTX_new();
  int code = X509_V_ERR_OUT_OF_MEM;
  if (check != NULL
      && X509_STORE_CTX_init(
             check, SSL_CTX_get_cert_store(context), SSL_CTX_get0_certificate(context), chain)
          == 1
      && X509_STORE_CTX_set_default(check, purpose) == 1) {
    code = run_check(check, host, seconds);
  }
  X509_STORE_CTX_free(check);
  ERR_clear_error();
  return code;
}

bool copenssl_context_is_trusted(
    const COpenSSLContext *context, const char *host, int64_t seconds, COpenSSLFault *fault,
    char *words) {
  int code = verdict(context, "ssl_server", host, seconds);
  if (code == X509_V_OK) code = verdict(context, "ssl_client", host, seconds);
  *fault = session_certificate_fault(code);
  snprintf(words, COPENSSL_WORDS_MAX, "%s", X509_verify_cert_error_string(code));
  return code == X509_V_OK;
}
