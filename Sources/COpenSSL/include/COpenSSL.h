#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpenSSLKeys.h"

// TLS by the system's OpenSSL, without sockets: the caller passes received bytes to a session, and
// takes the bytes to send from it. Much of OpenSSL's API consists of macros, which Swift cannot
// call.

/// The result of a step.
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLStep : int32_t {
  COpenSSLStepDone = 0,
  /// More bytes of the peer are needed.
  COpenSSLStepNeedsInput,
  /// The peer has sent close_notify.
  COpenSSLStepEnded,
  /// The session has failed; the bytes to send contain the alert.
  COpenSSLStepFailed,
} COpenSSLStep;

/// The cause of a failure.
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLFault : int32_t {
  /// The certificate is not signed by a trusted authority.
  COpenSSLFaultUntrusted = 0,
  /// A certificate has expired or is not valid yet.
  COpenSSLFaultOutOfDate,
  COpenSSLFaultOtherName,
  /// The peer does not support the ALPN protocol.
  COpenSSLFaultOtherProtocol,
  /// Any other failure.
  COpenSSLFaultBroken,
} COpenSSLFault;

/// Which file of a group member cannot be used.
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLFile : int32_t {
  COpenSSLFileNone = 0,
  COpenSSLFileAuthority,
  COpenSSLFileCertificate,
  COpenSSLFileKey,
  /// The key is valid but does not match the certificate.
  COpenSSLFileForeignKey,
} COpenSSLFile;

/// The contents of a file.
typedef struct COpenSSLText {
  const void *_Nullable start;
  size_t count;
} COpenSSLText;

enum { COPENSSL_WORDS_MAX = 256 };

/// The shared settings of sessions. Any thread may create sessions from them.
typedef struct ssl_ctx_st COpenSSLContext;

/// One side of a connection, used by one thread at a time.
typedef struct ssl_st COpenSSLSession;

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a client's context; NULL if memory is short or the file cannot be read.
///
/// - `protocol` is the only application protocol that is offered (ALPN).
/// - `authorities` is the path of a PEM file of trusted certificates; NULL for the system's.
COpenSSLContext *_Nullable copenssl_context_connecting(
    const char *_Nonnull protocol, const char *_Nullable authorities);

/// Creates a server's context; NULL if memory is short or a file cannot be read.
///
/// - `protocol` is the only application protocol that is accepted (ALPN); NULL for no ALPN. It must
///   be a constant, because it is not copied.
/// - `certificates` and `key` are files in PEM, the server's own certificate first.
COpenSSLContext *_Nullable copenssl_context_accepting(
    const char *_Nullable protocol, const char *_Nonnull certificates, const char *_Nonnull key);

/// Creates the server's context of a group member. Only clients with a certificate signed by the
/// group's authority are accepted. NULL if memory is short or a file cannot be used.
///
/// - The texts are in PEM; the member's own certificate is the first of `certificates`. A key with
///   a password cannot be used.
/// - `unusable` receives the file that cannot be used, or COpenSSLFileNone.
COpenSSLContext *_Nullable copenssl_context_of_member(
    COpenSSLText certificates, COpenSSLText key, COpenSSLText authority,
    COpenSSLFile *_Nonnull unusable);

/// Returns whether other members would trust this member's certificate.
///
/// - `host` is a name, or an address without brackets.
/// - `seconds` is the time of the check, since 1970.
/// - `words` receives OpenSSL's text, null-terminated, of at most `COPENSSL_WORDS_MAX` bytes.
bool copenssl_context_is_trusted(
    const COpenSSLContext *_Nonnull context, const char *_Nonnull host, int64_t seconds,
    COpenSSLFault *_Nonnull fault, char *_Nonnull words);

void copenssl_context_release(COpenSSLContext *_Nonnull context);

/// Creates the client's side. The server's certificate must be for `host`, a name or an address
/// without brackets. NULL if memory is short or `host` is not a name.
COpenSSLSession *_Nullable copenssl_session_connecting(
    COpenSSLContext *_Nonnull context, const char *_Nonnull host);

/// Creates the server's side; NULL if memory is short.
COpenSSLSession *_Nullable copenssl_session_accepting(COpenSSLContext *_Nonnull context);

void copenssl_session_release(COpenSSLSession *_Nonnull session);

/// Passes received bytes to the session; false if memory is short.
bool copenssl_session_feed(
    COpenSSLSession *_Nonnull session, const void *_Nonnull bytes, size_t count);

/// Returns the number of bytes to send.
size_t copenssl_session_waiting(COpenSSLSession *_Nonnull session);

/// Moves bytes to send from the session to `bytes`, and returns their number.
size_t copenssl_session_drain(
    COpenSSLSession *_Nonnull session, void *_Nonnull bytes, size_t capacity);

/// Continues the handshake. `COpenSSLStepDone` means that it is complete.
COpenSSLStep copenssl_session_shake_hands(COpenSSLSession *_Nonnull session);

/// Returns the selected protocol (ALPN), of `count` bytes; NULL if there is none.
const uint8_t *_Nullable copenssl_session_protocol(
    const COpenSSLSession *_Nonnull session, size_t *_Nonnull count);

/// Decrypts at most one record.
COpenSSLStep copenssl_session_read(
    COpenSSLSession *_Nonnull session, void *_Nonnull bytes, size_t capacity,
    size_t *_Nonnull count);

/// Encrypts at most one record. `taken` receives the number of encrypted bytes.
COpenSSLStep copenssl_session_write(
    COpenSSLSession *_Nonnull session, const void *_Nonnull bytes, size_t count,
    size_t *_Nonnull taken);

/// Sends close_notify.
void copenssl_session_conclude(COpenSSLSession *_Nonnull session);

/// Returns the cause of a failed step. Call this right after the step, on the same thread.
///
/// - `words` receives OpenSSL's text, null-terminated, of at most `COPENSSL_WORDS_MAX` bytes.
COpenSSLFault copenssl_session_fault(
    const COpenSSLSession *_Nonnull session, char *_Nonnull words);

#ifdef __cplusplus
}
#endif
