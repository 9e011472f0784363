#pragma once

#include "loop.h"

struct CCurlTransfer {
  CCurlLoop *loop;
  CCurlTransfer *next;
  CCurlTransfer *previous;
  CURL *handle;
  CCurlListener listener;
  struct curl_slist *fields;
  /// The addresses of the URL's host, as entries of CURLOPT_RESOLVE.
  struct curl_slist *names;
  /// The only allowed addresses; without addresses, any address is allowed.
  CCurlAddress *addresses;
  size_t addresses_count;
  /// The number of attempts, and whether the last one has begun to send the request.
  int attempts;
  bool is_sent;
  /// Whether a further attempt was prevented, because the maximum was reached.
  bool is_spent;
  bool is_started;
  char words[CURL_ERROR_SIZE];
};

/// Ends a transfer: removes it, keeps its handle for reuse and calls the listener's `end`.
void transfer_end(CCurlTransfer *transfer, CURLcode code);

void transfer_free(CCurlTransfer *transfer);
