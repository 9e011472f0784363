#pragma once

#include "CCurl.h"

#include <curl/curl.h>

/// One message in flight, with the state of its transfer.
typedef struct Letter {
  CURL *handle;
  struct curl_slist *recipients;
  uint8_t *bytes;
  size_t count;
  size_t sent;
  bool needs_utf8;
  /// Whether MAIL FROM was sent with SMTPUTF8.
  bool has_declared_utf8;
  bool needs_auth;
  /// Whether EHLO was sent for this message, because the connection is new.
  bool is_greeted;
  /// Whether the last command was EHLO.
  bool is_greeting;
  /// The AUTH mechanisms that the server offers, and the attempted mechanism, as bits by their
  /// index in `mechanisms`.
  unsigned offered_mechanisms;
  unsigned attempted_mechanism;
  /// Whether the server has requested credentials since the last AUTH command.
  bool is_challenged;
  /// Whether the next line begins a new reply.
  bool is_reply_complete;
  /// Whether QUIT was sent. Later replies are not about this message.
  bool is_over;
  CCurlReceipt receipt;
} Letter;

/// The mechanisms of AUTH that need a user and a password; ended by NULL.
extern const char *const mechanisms[];

/// The mechanisms that send the password itself (PLAIN and LOGIN), as bits by their index in
/// `mechanisms`.
extern const unsigned password_mechanisms;

/// Creates a message; NULL if memory is short. The caller sets the options of the server.
Letter *letter_create(
    const char *sender, const char *recipient, const void *bytes, size_t count, bool needs_utf8);

void letter_destroy(Letter *letter);

/// Fills the receipt from the transfer's result.
void letter_conclude(Letter *letter, CURLcode result);
