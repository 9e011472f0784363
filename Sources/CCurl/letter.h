#pragma once

#include "CCurl.h"

#include <curl/curl.h>

/// One message under way, and what was seen of its transfer.
typedef struct Letter {
  CURL *handle;
  struct curl_slist *recipients;
  uint8_t *bytes;
  size_t count;
  size_t sent;
  bool needs_utf8;
  bool is_sender_told_utf8;
  /// Whether the next line of a reply begins a new one.
  bool is_reply_complete;
  /// Whether the connection is being closed: what is said from then on is about something else.
  bool is_over;
  CCurlReceipt receipt;
} Letter;

/// Makes a message without anything about its server; NULL when memory is short.
Letter *letter_create(
    const char *sender, const char *recipient, const void *bytes, size_t count, bool needs_utf8);

void letter_destroy(Letter *letter);

/// Says what became of it.
void letter_conclude(Letter *letter, CURLcode result);
