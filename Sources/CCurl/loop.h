#pragma once

#include <curl/curl.h>

#include "CCurl.h"

/// The state of a descriptor.
typedef struct Socket {
  /// Whether `loop_open_socket` opened the descriptor and it is still open.
  bool is_ours;
  /// The epoll events that libcurl waits for, and the events registered with the kernel.
  uint32_t wanted;
  uint32_t watched;
} Socket;

/// The state of a loop, which its thread owns; other threads use only `flag`.
struct CCurlLoop {
  CCurlLoopSettings settings;
  /// Copies of the settings' bytes.
  void *authorities;
  void *certificate;
  void *key;
  void *proxy;
  void *context;
  CCurlTurn (*turn)(void *context);
  void (*close)(void *context);

  /// An eventfd that ends the thread's wait.
  int flag;

  int epoll;
  /// The multi handle, created on demand, and freed with its connections after `idle_seconds`
  /// without a transfer.
  CURLM *transfers;
  /// When libcurl's timer is due, and when idle connections are closed, in milliseconds of the
  /// monotonic clock; -1 for never.
  int64_t due;
  int64_t idle_end;
  Socket *sockets;
  size_t socket_count;
  /// The first of the transfers in flight, a linked list. `spare` is the list of ended transfers
  /// whose handles can be reused.
  CCurlTransfer *first;
  /// Whether a transfer in the list could not be started.
  bool has_unstarted;
  CCurlTransfer *spare;
  size_t spare_count;
};

/// Returns the time of the monotonic clock, in milliseconds.
int64_t loop_now(void);

/// Opens a socket for libcurl; CURL_SOCKET_BAD on failure.
curl_socket_t loop_open_socket(CCurlLoop *loop, const struct curl_sockaddr *address);

int loop_close_socket(void *loop, curl_socket_t descriptor);

/// The multi handle, created on demand; NULL if memory is short.
CURLM *loop_transfers(CCurlLoop *loop);
