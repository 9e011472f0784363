#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCurlTransfer.h"

// Mail by libcurl. Its own functions take variable arguments, which Swift cannot call.

/// How far a message got before its transfer ended.
typedef enum __attribute__((enum_extensibility(closed))) CCurlStage : int32_t {
  /// Before the server could be told of any message: resolving, connecting, greeting, TLS.
  CCurlStageConnecting = 0,
  CCurlStageAuthenticating,
  /// MAIL FROM.
  CCurlStageSender,
  /// RCPT TO.
  CCurlStageRecipient,
  /// DATA and what follows.
  CCurlStageContent,
} CCurlStage;

enum { CCURL_TEXT_MAX = 512 };

/// What became of one message.
typedef struct CCurlReceipt {
  CCurlStage stage;
  bool is_accepted;
  bool is_timeout;
  /// The connection was there before this message and the server had said nothing on it since.
  bool is_stale_connection;
  /// It was given up because the server does not take addresses beyond ASCII.
  bool lacks_utf8;
  /// The last complete reply at that stage; 0 if there was none.
  int32_t reply_code;
  /// What followed the code, its lines joined by spaces; any bytes.
  uint8_t reply[CCURL_TEXT_MAX];
  size_t reply_count;
  int64_t duration_microseconds;
  /// What went wrong, mostly in libcurl's own words, ended by a zero byte.
  char error[CCURL_TEXT_MAX];
} CCurlReceipt;

/// Where mail is handed in. Texts are copied.
typedef struct CCurlServer {
  const char *_Nonnull url;
  /// NULL where nobody has to say who they are.
  const char *_Nullable user;
  const char *_Nullable password;
  /// A file of certificates to trust instead of the system's; NULL for the system's.
  const char *_Nullable authorities;
  /// Whether a server without STARTTLS is refused; smtps:// has TLS in any case.
  bool requires_tls;
  int64_t deadline_milliseconds;
} CCurlServer;

#ifdef __cplusplus
extern "C" {
#endif

/// A connection to a server, kept for the next message; to be used by one thread at a time.
typedef struct CCurlSMTPConnection CCurlSMTPConnection;

/// NULL when memory is short or libcurl cannot be had.
CCurlSMTPConnection *_Nullable ccurl_smtp_open(const CCurlServer *_Nonnull server);

void ccurl_smtp_close(CCurlSMTPConnection *_Nullable connection);

/// Sends a message and waits until the server has answered for it, at most until the deadline.
/// Lines end in CR LF; dots at their beginnings are libcurl's concern. False when memory is short.
bool ccurl_smtp_send(
    CCurlSMTPConnection *_Nonnull connection, const char *_Nonnull sender,
    const char *_Nonnull recipient, const void *_Nonnull bytes, size_t count,
    bool needs_utf8, CCurlReceipt *_Nonnull receipt);

/// Writes the name of a host as DNS knows it, in ASCII and lower case, to `output`; false if it
/// cannot be one or there is no room for it.
bool ccurl_ascii_host(const char *_Nonnull host, char *_Nonnull output, size_t capacity);

#ifdef __cplusplus
}
#endif
