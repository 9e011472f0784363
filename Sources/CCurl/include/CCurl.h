#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCurlTransfer.h"

// SMTP by libcurl. These functions exist because Swift cannot call libcurl's variadic functions.

/// The last stage that a message reached.
typedef enum __attribute__((enum_extensibility(closed))) CCurlStage : int32_t {
  /// Before the first command for a message: resolving, connecting, greeting, TLS.
  CCurlStageConnecting = 0,
  CCurlStageAuthenticating,
  /// The command MAIL FROM.
  CCurlStageSender,
  /// The command RCPT TO.
  CCurlStageRecipient,
  /// The command DATA, and the content.
  CCurlStageContent,
} CCurlStage;

enum { CCURL_TEXT_MAX = 512 };

/// The result of one message.
typedef struct CCurlReceipt {
  CCurlStage stage;
  bool is_accepted;
  bool is_timeout;
  /// The connection was reused, and the server ended it without an answer to this message or with
  /// the code 421 (RFC 5321, section 3.8).
  bool is_stale_connection;
  /// The transfer was aborted because the server lacks SMTPUTF8 and an address needs it.
  bool lacks_utf8;
  /// The transfer was aborted because a user is set and cannot be authenticated: the server offers
  /// no AUTH for a password, or only mechanisms that it has refused.
  bool lacks_auth;
  /// The code of the last complete reply at this stage; 0 if there was none.
  int32_t reply_code;
  /// The text after the code, its lines joined by spaces. It may contain any bytes.
  uint8_t reply[CCURL_TEXT_MAX];
  size_t reply_count;
  int64_t duration_microseconds;
  /// The description of the error, in most cases from libcurl; null-terminated.
  char error[CCURL_TEXT_MAX];
} CCurlReceipt;

/// A mail server. Strings are copied.
typedef struct CCurlServer {
  /// The server's URL, whose path is the EHLO name.
  const char *_Nonnull url;
  /// The user; NULL for no authentication.
  const char *_Nullable user;
  const char *_Nullable password;
  /// The path of a PEM file of trusted certificates; NULL for the system's.
  const char *_Nullable authorities;
  /// Whether a server without STARTTLS is refused; smtps:// has TLS in any case.
  bool requires_tls;
  int64_t deadline_milliseconds;
} CCurlServer;

#ifdef __cplusplus
extern "C" {
#endif

/// A connection to a server, which is reused for the next message. Only one thread at a time may
/// use it.
typedef struct CCurlSMTPConnection CCurlSMTPConnection;

/// Creates a connection; NULL if memory is short or libcurl cannot be initialized.
CCurlSMTPConnection *_Nullable ccurl_smtp_open(const CCurlServer *_Nonnull server);

void ccurl_smtp_close(CCurlSMTPConnection *_Nullable connection);

/// Sends a message and waits for the server's reply, at most until the deadline. Lines must end in
/// CR LF; libcurl escapes leading dots. Returns false if memory is short.
bool ccurl_smtp_send(
    CCurlSMTPConnection *_Nonnull connection, const char *_Nonnull sender,
    const char *_Nonnull recipient, const void *_Nonnull bytes, size_t count,
    bool needs_utf8, CCurlReceipt *_Nonnull receipt);

/// Writes a host name as lower-case IDNA A-labels to `output`; false if it is not a host name or is
/// longer than the capacity.
bool ccurl_ascii_host(const char *_Nonnull host, char *_Nonnull output, size_t capacity);

#ifdef __cplusplus
}
#endif
