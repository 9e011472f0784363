#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// HTTP/1.1 by libcurl, on threads of its own. What libcurl offers takes variable arguments, which
// Swift cannot call.

/// How a transfer has come to its end.
typedef enum __attribute__((enum_extensibility(closed))) CCurlEnding : int32_t {
  /// All of the reply has come.
  CCurlEndingWhole = 0,
  /// Who listens has had enough, or it was cancelled.
  CCurlEndingStopped,
  CCurlEndingLate,
  CCurlEndingNameUnknown,
  CCurlEndingUnconnected,
  /// Nobody known has signed the certificate, or its time is over.
  CCurlEndingUntrusted,
  CCurlEndingOtherName,
  CCurlEndingAuthoritiesUnreadable,
  CCurlEndingTLSFailed,
  CCurlEndingNotHTTP,
  CCurlEndingBrokenOff,
  /// The request is none: its URL cannot be read.
  CCurlEndingUnreadable,
  CCurlEndingFailed,
} CCurlEnding;

enum { CCURL_WORDS_MAX = 256 };

typedef struct CCurlOutcome {
  CCurlEnding ending;
  /// Of the last connection: whether there was one, and whether it was ready to be written to.
  bool is_connected;
  bool is_sent;
  /// Of the system, if connecting failed; else 0.
  int32_t error_number;
  /// libcurl's own words, ended by a zero byte.
  char words[CCURL_WORDS_MAX];
} CCurlOutcome;

/// What becomes of bytes of a body.
typedef enum __attribute__((enum_extensibility(closed))) CCurlTaking : int32_t {
  CCurlTakingMore = 0,
  /// They are taken, and no more are wanted.
  CCurlTakingEnough,
  /// They are not taken; they come again after `ccurl_transfer_resume`.
  CCurlTakingLater,
} CCurlTaking;

/// Who a transfer speaks to, on the loop's thread. Nothing is said after `end`.
typedef struct CCurlListener {
  void *_Nonnull context;
  /// A line of a head, or of what follows a body; false if it is not to go on.
  bool (*_Nonnull line)(void *_Nonnull context, const void *_Nonnull bytes, size_t count);
  CCurlTaking (*_Nonnull body)(void *_Nonnull context, const void *_Nonnull bytes, size_t count);
  void (*_Nonnull end)(void *_Nonnull context, const CCurlOutcome *_Nonnull outcome);
} CCurlListener;

/// What all transfers of a loop have in common. Texts and bytes are copied.
typedef struct CCurlLoopSettings {
  /// How many connections are kept.
  int64_t connections_max;
  /// How long a connection is kept for the next request.
  int64_t idle_seconds;
  /// Certificates in PEM to trust instead of the system's; NULL for the system's.
  const void *_Nullable authorities;
  size_t authorities_count;
  /// A certificate to show, and its key, in PEM; NULL to show none.
  const void *_Nullable certificate;
  size_t certificate_count;
  const void *_Nullable key;
  size_t key_count;
} CCurlLoopSettings;

typedef struct CCurlRequest {
  const char *_Nonnull method;
  /// Of HTTP or HTTPS.
  const char *_Nonnull url;
  /// The path of a Unix socket to connect to, whatever the URL says.
  const char *_Nullable socket;
  /// The only address that may be connected to, of 4 or 16 bytes; NULL if any may.
  const uint8_t *_Nullable address;
  size_t address_count;
  bool has_body;
  const void *_Nullable body;
  size_t body_count;
  /// 0 for no end.
  int64_t deadline_milliseconds;
  int64_t connect_milliseconds;
  /// How long nothing may come; 0 for ever.
  int64_t silence_seconds;
} CCurlRequest;

#ifdef __cplusplus
extern "C" {
#endif

/// What the thread does after a turn.
typedef enum __attribute__((enum_extensibility(closed))) CCurlTurn : int32_t {
  /// It waits for something to come, or to be woken.
  CCurlTurnWait = 0,
  CCurlTurnAgain,
  /// It ends, with all that is under way.
  CCurlTurnEnd,
} CCurlTurn;

/// A thread that carries requests.
typedef struct CCurlLoop CCurlLoop;

/// One request on its way. It is gone after its `end`.
typedef struct CCurlTransfer CCurlTransfer;

/// Starts the thread; NULL where memory or threads are short.
///
/// On the thread, `turn` is called again and again; `close` is the last that is called, and the
/// loop is gone after it.
CCurlLoop *_Nullable ccurl_loop_open(
    const CCurlLoopSettings *_Nonnull settings, void *_Nonnull context,
    CCurlTurn (*_Nonnull turn)(void *_Nonnull context),
    void (*_Nonnull close)(void *_Nonnull context));

/// Has `turn` called soon; by any thread.
void ccurl_loop_wake(CCurlLoop *_Nonnull loop);

/// Whether this is the thread.
bool ccurl_loop_is_current(const CCurlLoop *_Nonnull loop);

// From here on for the thread itself, in `turn`.

/// Prepares a request; NULL when memory is short.
CCurlTransfer *_Nullable ccurl_transfer_make(
    CCurlLoop *_Nonnull loop, const CCurlRequest *_Nonnull request, CCurlListener listener);

/// Adds a field, as "Name: value", or "Name;" where the value is empty. False when memory is short.
bool ccurl_transfer_add(CCurlTransfer *_Nonnull transfer, const char *_Nonnull field);

/// Sends what was prepared; its `end` comes at any time from now on, but not from in here.
void ccurl_transfer_start(CCurlTransfer *_Nonnull transfer);

/// Goes on after `CCurlTakingLater`.
void ccurl_transfer_resume(CCurlTransfer *_Nonnull transfer);

/// Gives it up; its `end` is called from in here.
void ccurl_transfer_stop(CCurlTransfer *_Nonnull transfer);

#ifdef __cplusplus
}
#endif

/// Whether libcurl finds this host, without brackets, and this port in a URL.
bool ccurl_url_leads_to(const char *_Nonnull url, const char *_Nonnull host, int32_t port);
