#include "COpenSSL.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>

#include "fault.h"

static SSL *make(SSL_CTX *context) {
  SSL *session = SSL_new(context);
  BIO *incoming = BIO_new(BIO_s_mem());
  BIO *outgoing = BIO_new(BIO_s_mem());
  if (session == NULL || incoming == NULL || outgoing == NULL) {
    BIO_free(incoming);
    BIO_free(outgoing);
    SSL_free(session);
    return NULL;
  }
  // An empty buffer means that more bytes may come, not end of file.
  BIO_set_mem_eof_return(incoming, -1);
  SSL_set_bio(session, incoming, outgoing);
  return session;
}

/// Sets the address or name that the certificate must be for; a name is also sent to the server
/// (SNI).
static bool set_expected_host(SSL *session, const char *host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1) return true;
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(session, host) == 1 && SSL_set_tlsext_host_name(session, host) == 1;
}

COpenSSLSession *copenssl_session_connecting(COpenSSLContext *context, const char *host) {
  SSL *session = make(context);
  if (session == NULL) return NULL;
  SSL_set_connect_state(session);
  // With an empty name, OpenSSL would not check the certificate's name.
  if (host[0] != 0 && set_expected_host(session, host)) return session;
  SSL_free(session);
  return NULL;
}

COpenSSLSession *copenssl_session_accepting(COpenSSLContext *context) {
  SSL *session = make(context);
  if (session != NULL) SSL_set_accept_state(session);
  return session;
}

void copenssl_session_release(COpenSSLSession *session) {
  SSL_free(session);
}

// MARK: Encrypted bytes

bool copenssl_session_feed(COpenSSLSession *session, const void *bytes, size_t count) {
  size_t written = 0;
  return count == 0
      || (BIO_write_ex(SSL_get_rbio(session), bytes, count, &written) == 1 && written == count);
}

size_t copenssl_session_waiting(COpenSSLSession *session) {
  return BIO_ctrl_pending(SSL_get_wbio(session));
}

size_t copenssl_session_drain(COpenSSLSession *session, void *bytes, size_t capacity) {
  size_t count = 0;
  return BIO_read_ex(SSL_get_wbio(session), bytes, capacity, &count) == 1 ? count : 0;
}

// MARK: Steps

/// Maps a result of OpenSSL to a step. OpenSSL has one error queue for each thread, so each step
/// clears it first.
static COpenSSLStep step(const SSL *session, int result) {
  if (result > 0) return COpenSSLStepDone;
  switch (SSL_get_error(session, result)) {
    case SSL_ERROR_WANT_READ: return COpenSSLStepNeedsInput;
    case SSL_ERROR_ZERO_RETURN: return COpenSSLStepEnded;
    default: return COpenSSLStepFailed;
  }
}

COpenSSLStep copenssl_session_shake_hands(COpenSSLSession *session) {
  ERR_clear_error();
  return step(session, SSL_do_handshake(session));
}

const uint8_t *copenssl_session_protocol(const COpenSSLSession *session, size_t *count) {
  const unsigned char *protocol = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected(session, &protocol, &length);
  *count = length;
  return protocol;
}

COpenSSLStep copenssl_session_read(
    COpenSSLSession *session, void *bytes, size_t capacity, size_t *count) {
  ERR_clear_error();
  *count = 0;
  return step(session, SSL_read_ex(session, bytes, capacity, count));
}

COpenSSLStep copenssl_session_write(
    COpenSSLSession *session, const void *bytes, size_t count, size_t *taken) {
  ERR_clear_error();
  *taken = 0;
  return step(session, SSL_write_ex(session, bytes, count, taken));
}

void copenssl_session_conclude(COpenSSLSession *session) {
  ERR_clear_error();
  SSL_shutdown(session);
  ERR_clear_error();
}

// MARK: Faults

COpenSSLFault session_certificate_fault(long verdict) {
  switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return COpenSSLFaultOtherName;
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED: return COpenSSLFaultOutOfDate;
    default: return COpenSSLFaultUntrusted;
  }
}

COpenSSLFault copenssl_session_fault(const COpenSSLSession *session, char *words) {
  unsigned long error = ERR_peek_error();
  ERR_clear_error();
  const char *reason = ERR_reason_error_string(error);
  COpenSSLFault fault = COpenSSLFaultBroken;
  if (ERR_GET_LIB(error) == ERR_LIB_SSL) {
    switch (ERR_GET_REASON(error)) {
      case SSL_R_CERTIFICATE_VERIFY_FAILED:
        reason = X509_verify_cert_error_string(SSL_get_verify_result(session));
        fault = session_certificate_fault(SSL_get_verify_result(session));
        break;
      case SSL_R_NO_APPLICATION_PROTOCOL:
      case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: fault = COpenSSLFaultOtherProtocol; break;
      default: break;
    }
  }
  snprintf(words, COPENSSL_WORDS_MAX, "%s", reason != NULL ? reason : "OpenSSL gives no reason");
  return fault;
}
