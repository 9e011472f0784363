#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// TLS by the system's OpenSSL, on bytes alone: what comes from the other side is put in, what is to
// go there is taken out. Much of what OpenSSL offers are macros, which Swift cannot call.

/// How far a step has come.
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLStep : int32_t {
  COpenSSLStepDone = 0,
  /// More has to come from the other side.
  COpenSSLStepWanting,
  /// The other side has said that it sends no more.
  COpenSSLStepEnded,
  /// The session is of no use any more; what it has to send says why.
  COpenSSLStepFailed,
} COpenSSLStep;

/// What is wrong.
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLFault : int32_t {
  /// Nobody who is trusted has signed the certificate.
  COpenSSLFaultUntrusted = 0,
  /// The time of a certificate is over, or has not begun.
  COpenSSLFaultOutOfDate,
  COpenSSLFaultOtherName,
  /// The other side does not speak what is to be spoken over TLS.
  COpenSSLFaultOtherProtocol,
  /// Anything else.
  COpenSSLFaultBroken,
} COpenSSLFault;

/// Which file of a member of a group is of no use.
typedef enum __attribute__((enum_extensibility(closed))) COpenSSLFile : int32_t {
  COpenSSLFileNone = 0,
  COpenSSLFileAuthority,
  COpenSSLFileCertificate,
  COpenSSLFileKey,
  /// It can be read, and is the key of another certificate.
  COpenSSLFileForeignKey,
} COpenSSLFile;

/// What a file holds, read before.
typedef struct COpenSSLText {
  const void *_Nullable start;
  size_t count;
} COpenSSLText;

enum { COPENSSL_WORDS_MAX = 256 };

/// What sessions have in common. Any thread may make sessions of it.
typedef struct ssl_ctx_st COpenSSLContext;

/// One side of a connection; for one thread at a time.
typedef struct ssl_st COpenSSLSession;

#ifdef __cplusplus
extern "C" {
#endif

/// Makes what connects; NULL where memory is short or the file cannot be read.
///
/// - `protocol` is the only one that is offered (ALPN); a constant, which is not copied.
/// - `authorities` is a file of certificates in PEM to trust instead of the system's; NULL for the
///   system's.
COpenSSLContext *_Nullable copenssl_context_connecting(
    const char *_Nonnull protocol, const char *_Nullable authorities);

/// Makes what is connected to; NULL where memory is short or a file cannot be read.
///
/// - `protocol` is the only one that is agreed on; NULL to agree on none.
/// - `certificates` and `key` are files in PEM, the server's own certificate first.
COpenSSLContext *_Nullable copenssl_context_accepting(
    const char *_Nullable protocol, const char *_Nonnull certificates, const char *_Nonnull key);

/// Makes what members of a group connect to, who each show a certificate that the group's authority
/// has signed; nobody else is let in. NULL where memory is short or a file is of no use.
///
/// - All are in PEM; `certificates` has the member's own first. A key with a password is of
///   no use.
COpenSSLContext *_Nullable copenssl_context_of_member(
    COpenSSLText certificates, COpenSSLText key, COpenSSLText authority,
    COpenSSLFile *_Nonnull unusable);

/// Looks whether other members would trust this one's certificate, at `host`, a name or an address
/// without brackets, and at a time in seconds since 1970.
///
/// - `words` are OpenSSL's own, of up to `COPENSSL_WORDS_MAX` bytes with the zero that ends them.
bool copenssl_context_is_trusted(
    const COpenSSLContext *_Nonnull context, const char *_Nonnull host, int64_t seconds,
    COpenSSLFault *_Nonnull fault, char *_Nonnull words);

void copenssl_context_release(COpenSSLContext *_Nonnull context);

/// Makes the side that begins; its certificate has to be of `host`, a name or an address without
/// brackets. NULL where memory is short, or for what is no name.
COpenSSLSession *_Nullable copenssl_session_connecting(
    COpenSSLContext *_Nonnull context, const char *_Nonnull host);

/// Makes the side that waits; NULL where memory is short.
COpenSSLSession *_Nullable copenssl_session_accepting(COpenSSLContext *_Nonnull context);

void copenssl_session_release(COpenSSLSession *_Nonnull session);

/// Puts in what has come; false where memory is short.
bool copenssl_session_feed(
    COpenSSLSession *_Nonnull session, const void *_Nonnull bytes, size_t count);

/// How much there is to be sent.
size_t copenssl_session_waiting(COpenSSLSession *_Nonnull session);

/// Takes out what is to be sent, and returns how much that is.
size_t copenssl_session_drain(
    COpenSSLSession *_Nonnull session, void *_Nonnull bytes, size_t capacity);

/// Goes on with the handshake, which is whole when this is done.
COpenSSLStep copenssl_session_shake_hands(COpenSSLSession *_Nonnull session);

/// The protocol that was agreed on, of `count` bytes; NULL if none was.
const uint8_t *_Nullable copenssl_session_protocol(
    const COpenSSLSession *_Nonnull session, size_t *_Nonnull count);

/// Reads at most one record's worth of what the other side says.
COpenSSLStep copenssl_session_read(
    COpenSSLSession *_Nonnull session, void *_Nonnull bytes, size_t capacity,
    size_t *_Nonnull count);

/// Encrypts a record's worth of what is to be said; `taken` says how much that was.
COpenSSLStep copenssl_session_write(
    COpenSSLSession *_Nonnull session, const void *_Nonnull bytes, size_t count,
    size_t *_Nonnull taken);

/// Says that no more will be said (close_notify).
void copenssl_session_conclude(COpenSSLSession *_Nonnull session);

/// What is wrong, right after the step that has failed, on its thread; `words` are OpenSSL's own,
/// of up to `COPENSSL_WORDS_MAX` bytes with the zero that ends them.
COpenSSLFault copenssl_session_fault(
    const COpenSSLSession *_Nonnull session, char *_Nonnull words);

#ifdef __cplusplus
}
#endif
