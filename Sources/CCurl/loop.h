#pragma once

#include <curl/curl.h>

#include "CCurl.h"

/// What is known of a descriptor.
typedef struct Socket {
  /// Whether it was opened by us and is not closed yet.
  bool is_ours;
  /// What libcurl waits for, and what the kernel has been told; events of epoll.
  uint32_t wanted;
  uint32_t watched;
} Socket;

/// All of it but what the other threads' functions use belongs to the thread.
struct CCurlLoop {
  CCurlLoopSettings settings;
  /// Copies of what the settings lead to.
  void *authorities;
  void *certificate;
  void *key;
  void *context;
  CCurlTurn (*turn)(void *context);
  void (*close)(void *context);

  /// Raised to end the wait.
  int flag;

  int epoll;
  /// Made when it is needed, and taken down with its connections when nothing is under way.
  CURLM *transfers;
  /// When libcurl, and when the connections, have had their time; in milliseconds, -1 for never.
  int64_t due;
  int64_t rest;
  Socket *sockets;
  size_t socket_count;
  /// Those under way, and handles for those to come.
  CCurlTransfer *first;
  /// Whether one of them could not be started.
  bool has_unstarted;
  CCurlTransfer *spare;
  size_t spare_count;
};

/// Of the monotonic clock.
int64_t loop_now(void);

/// What libcurl calls a socket of its own opened with; CURL_SOCKET_BAD if that is not to be.
curl_socket_t loop_open_socket(CCurlLoop *loop, const struct curl_sockaddr *address);

int loop_close_socket(void *loop, curl_socket_t descriptor);

/// The transfers with their connections; NULL when memory is short.
CURLM *loop_transfers(CCurlLoop *loop);
