#pragma once

#include "loop.h"

struct CCurlTransfer {
  CCurlLoop *loop;
  CCurlTransfer *next;
  CCurlTransfer *previous;
  CURL *handle;
  CCurlListener listener;
  struct curl_slist *fields;
  /// Where to connect to, whatever the URL says.
  struct curl_slist *route;
  uint8_t address[16];
  size_t address_count;
  /// How often it was sent, and whether it was on the last connection.
  int attempts;
  bool is_sent;
  /// Whether it may not be sent again.
  bool is_spent;
  bool is_started;
  char words[CURL_ERROR_SIZE];
};

/// Tells who listens that it has come to its end, and keeps its handle for another.
void transfer_end(CCurlTransfer *transfer, CURLcode code);

void transfer_free(CCurlTransfer *transfer);
