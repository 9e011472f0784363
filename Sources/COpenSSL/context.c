#include "COpenSSL.h"

#include <openssl/err.h>
#include <string.h>

#include "prepare.h"

/// The TLS 1.2 ciphers that HTTP/2 allows: forward secrecy and authenticated encryption (RFC 9113,
/// section 9.2.2).
static const char ciphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

SSL_CTX *context_prepare(SSL_CTX *context) {
  if (context == NULL) return NULL;
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(
      context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
          | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
      && SSL_CTX_set_cipher_list(context, ciphers) == 1) {
    return context;
  }
  SSL_CTX_free(context);
  return NULL;
}

// MARK: Clients

static bool offer(SSL_CTX *context, const char *protocol) {
  unsigned char list[1 + UINT8_MAX];
  size_t count = strlen(protocol);
  if (count == 0 || count > UINT8_MAX) return false;
  list[0] = (unsigned char)count;
  memcpy(list + 1, protocol, count);
  // Unlike the other functions, this one returns 0 on success.
  return SSL_CTX_set_alpn_protos(context, list, (unsigned int)count + 1) == 0;
}

static bool trust(SSL_CTX *context, const char *authorities) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  return authorities == NULL ? SSL_CTX_set_default_verify_paths(context) == 1
                             : SSL_CTX_load_verify_file(context, authorities) == 1;
}

COpenSSLContext *copenssl_context_connecting(const char *protocol, const char *authorities) {
  SSL_CTX *context = context_prepare(SSL_CTX_new(TLS_client_method()));
  if (context == NULL || (offer(context, protocol) && trust(context, authorities))) return context;
  SSL_CTX_free(context);
  ERR_clear_error();
  return NULL;
}

// MARK: Servers

/// Selects the server's only protocol if the client offers it; otherwise refuses the client
/// (RFC 7301, section 3.2).
static int choose(
    SSL *session, const unsigned char **chosen, unsigned char *chosen_count,
    const unsigned char *offered, unsigned int offered_count, void *protocol) {
  (void)session;
  size_t count = strlen(protocol);
  for (unsigned int index = 0; index < offered_count; index += 1u + offered[index]) {
    if (offered[index] != count || memcmp(offered + index + 1, protocol, count) != 0) continue;
    *chosen = offered + index + 1;
    *chosen_count = offered[index];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

COpenSSLContext *copenssl_context_accepting(
    const char *protocol, const char *certificates, const char *key) {
  SSL_CTX *context = context_prepare(SSL_CTX_new(TLS_server_method()));
  if (context == NULL) return NULL;
  if (protocol != NULL) SSL_CTX_set_alpn_select_cb(context, choose, (void *)protocol);
  if (SSL_CTX_use_certificate_chain_file(context, certificates) == 1
      && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1) {
    return context;
  }
  SSL_CTX_free(context);
  ERR_clear_error();
  return NULL;
}

void copenssl_context_release(COpenSSLContext *context) {
  SSL_CTX_free(context);
}
