#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// HTTP/1.1 by libcurl, on threads of its own. These functions exist because Swift cannot call
// libcurl's variadic functions.

/// How a transfer ended.
typedef enum __attribute__((enum_extensibility(closed))) CCurlEnding : int32_t {
  /// The transfer ended without an error.
  CCurlEndingWhole = 0,
  /// The listener stopped the transfer, or the transfer was cancelled.
  CCurlEndingStopped,
  /// A time limit of the request ended.
  CCurlEndingLate,
  CCurlEndingNameUnknown,
  CCurlEndingUnconnected,
  /// The certificate is not signed by a trusted authority, or has expired.
  CCurlEndingUntrusted,
  CCurlEndingOtherName,
  CCurlEndingAuthoritiesUnreadable,
  CCurlEndingTLSFailed,
  CCurlEndingNotHTTP,
  CCurlEndingBrokenOff,
  /// The URL is malformed.
  CCurlEndingUnreadable,
  CCurlEndingFailed,
} CCurlEnding;

enum { CCURL_WORDS_MAX = 256 };

typedef struct CCurlOutcome {
  CCurlEnding ending;
  /// Whether a connection was made, and whether the request was written to it.
  bool is_connected;
  bool is_sent;
  /// The errno of a failed connect; else 0.
  int32_t error_number;
  /// libcurl's error text, null-terminated.
  char words[CCURL_WORDS_MAX];
} CCurlOutcome;

/// How the listener handles bytes of a body.
typedef enum __attribute__((enum_extensibility(closed))) CCurlTaking : int32_t {
  CCurlTakingMore = 0,
  /// Accepts the bytes and ends the transfer.
  CCurlTakingEnough,
  /// Pauses the transfer. After `ccurl_transfer_resume` the listener receives the same bytes again.
  CCurlTakingLater,
} CCurlTaking;

/// The callbacks of a transfer, which the loop's thread calls. It calls `end` once, as the last.
typedef struct CCurlListener {
  void *_Nonnull context;
  /// Receives a header or trailer line; false aborts the transfer.
  bool (*_Nonnull line)(void *_Nonnull context, const void *_Nonnull bytes, size_t count);
  CCurlTaking (*_Nonnull body)(void *_Nonnull context, const void *_Nonnull bytes, size_t count);
  void (*_Nonnull end)(void *_Nonnull context, const CCurlOutcome *_Nonnull outcome);
} CCurlListener;

/// The settings of all transfers of a loop. Strings and bytes are copied.
typedef struct CCurlLoopSettings {
  /// The maximum number of connections kept open.
  int64_t connections_max;
  /// How long an idle connection is kept open.
  int64_t idle_seconds;
  /// Trusted certificates in PEM; NULL for the system's.
  const void *_Nullable authorities;
  size_t authorities_count;
  /// The client certificate and its key in PEM; NULL for none.
  const void *_Nullable certificate;
  size_t certificate_count;
  const void *_Nullable key;
  size_t key_count;
  /// The URL of a proxy; NULL for none. Proxies in the environment are ignored.
  const char *_Nullable proxy;
  /// Whether uncompressed bodies are requested. A body that is compressed nevertheless is decoded.
  bool wants_plain_bodies;
} CCurlLoopSettings;

/// An address of 4 or 16 bytes.
typedef struct CCurlAddress {
  uint8_t bytes[16];
  int32_t count;
} CCurlAddress;

typedef struct CCurlRequest {
  const char *_Nonnull method;
  /// An http or https URL.
  const char *_Nonnull url;
  /// The path of a Unix socket to connect to instead of the URL's host; NULL for none.
  const char *_Nullable socket;
  /// The addresses of the URL's host. A connection is made only to one of them; without addresses,
  /// any address is allowed.
  const CCurlAddress *_Nullable addresses;
  size_t addresses_count;
  bool has_body;
  const void *_Nullable body;
  size_t body_count;
  /// The time limit of the whole transfer; 0 for none.
  int64_t deadline_milliseconds;
  /// The time limit of connecting, including TLS.
  int64_t connect_milliseconds;
  /// How long the transfer may go without progress; 0 for no limit.
  int64_t silence_seconds;
} CCurlRequest;

#ifdef __cplusplus
extern "C" {
#endif

/// The thread's next step after a call of `turn`.
typedef enum __attribute__((enum_extensibility(closed))) CCurlTurn : int32_t {
  /// The thread waits for input, a timer or a wake-up.
  CCurlTurnWait = 0,
  /// The thread calls `turn` again after due work, without waiting.
  CCurlTurnAgain,
  /// The thread stops all transfers and ends.
  CCurlTurnEnd,
} CCurlTurn;

/// A thread that runs transfers.
typedef struct CCurlLoop CCurlLoop;

/// One request; freed after the listener's `end`.
typedef struct CCurlTransfer CCurlTransfer;

/// Starts the thread; NULL if memory or threads are short.
///
/// The thread calls `turn` repeatedly, and `close` at the end; then the loop is freed.
CCurlLoop *_Nullable ccurl_loop_open(
    const CCurlLoopSettings *_Nonnull settings, void *_Nonnull context,
    CCurlTurn (*_Nonnull turn)(void *_Nonnull context),
    void (*_Nonnull close)(void *_Nonnull context));

/// Makes the thread call `turn` soon. Safe on any thread.
void ccurl_loop_wake(CCurlLoop *_Nonnull loop);

/// Whether the calling thread is the loop's thread.
bool ccurl_loop_is_current(const CCurlLoop *_Nonnull loop);

// The functions below must be called on the loop's thread, in `turn`.

/// Prepares a request; NULL if memory is short.
CCurlTransfer *_Nullable ccurl_transfer_make(
    CCurlLoop *_Nonnull loop, const CCurlRequest *_Nonnull request, CCurlListener listener);

/// Adds a header, as "Name: value", or "Name;" for an empty value. False if memory is short.
bool ccurl_transfer_add(CCurlTransfer *_Nonnull transfer, const char *_Nonnull field);

/// Sends the request. `end` is called later, never inside this call.
void ccurl_transfer_start(CCurlTransfer *_Nonnull transfer);

/// Resumes a transfer that paused after `CCurlTakingLater`.
void ccurl_transfer_resume(CCurlTransfer *_Nonnull transfer);

/// Aborts the transfer; calls the listener's `end` before it returns.
void ccurl_transfer_stop(CCurlTransfer *_Nonnull transfer);

#ifdef __cplusplus
}
#endif

/// Returns whether libcurl finds this host and this port in a URL. `host` has no brackets.
bool ccurl_url_leads_to(const char *_Nonnull url, const char *_Nonnull host, int32_t port);
