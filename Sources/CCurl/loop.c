// The macro makes <pthread.h> declare pthread_setname_np.
#define _GNU_SOURCE

#include "loop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ready.h"
#include "transfer.h"

static _Thread_local const CCurlLoop *current;

int64_t loop_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// MARK: Descriptors

/// Returns the state of a descriptor; NULL if memory is short.
static Socket *socket_state(CCurlLoop *loop, curl_socket_t descriptor) {
  size_t index = (size_t)descriptor;
  if (index >= loop->socket_count) {
    size_t count = index + 64;
    Socket *sockets = realloc(loop->sockets, count * sizeof *sockets);
    if (sockets == NULL) return NULL;
    memset(sockets + loop->socket_count, 0, (count - loop->socket_count) * sizeof *sockets);
    loop->sockets = sockets;
    loop->socket_count = count;
  }
  return &loop->sockets[index];
}

static void watch(CCurlLoop *loop, curl_socket_t descriptor, Socket *socket, uint32_t events) {
  if (socket->watched == events) return;
  struct epoll_event event = {.events = events, .data.fd = descriptor};
  int what = socket->watched == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  if (epoll_ctl(loop->epoll, what, descriptor, &event) == 0) socket->watched = events;
}

/// Stores the events that libcurl waits for. Between requests libcurl waits for none. Even then, a
/// socket that `loop_open_socket` opened stays watched until an event comes, which saves two epoll
/// calls for each request.
static int set_wanted_events(
    CURL *handle, curl_socket_t descriptor, int what, void *context, void *unused) {
  (void)handle, (void)unused;
  CCurlLoop *loop = context;
  Socket *socket = socket_state(loop, descriptor);
  if (socket == NULL) return -1;
  socket->wanted = what == CURL_POLL_REMOVE ? 0
      : (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
  if (socket->wanted != 0 || !socket->is_ours) watch(loop, descriptor, socket, socket->wanted);
  return 0;
}

static int set_timer(CURLM *transfers, long milliseconds, void *context) {
  (void)transfers;
  CCurlLoop *loop = context;
  loop->due = milliseconds < 0 ? -1 : loop_now() + milliseconds;
  return 0;
}

curl_socket_t loop_open_socket(CCurlLoop *loop, const struct curl_sockaddr *address) {
  int descriptor = socket(
      address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (descriptor < 0) return CURL_SOCKET_BAD;
  Socket *socket = socket_state(loop, descriptor);
  if (socket == NULL) {
    close(descriptor);
    return CURL_SOCKET_BAD;
  }
  *socket = (Socket){.is_ours = true};
  return descriptor;
}

int loop_close_socket(void *context, curl_socket_t descriptor) {
  CCurlLoop *loop = context;
  Socket *socket = socket_state(loop, descriptor);
  if (socket != NULL) *socket = (Socket){0};
  return close(descriptor);
}

// MARK: Connections

CURLM *loop_transfers(CCurlLoop *loop) {
  if (loop->transfers != NULL) return loop->transfers;
  CURLM *transfers = curl_multi_init();
  if (transfers == NULL) return NULL;
  bool is_set = curl_multi_setopt(transfers, CURLMOPT_SOCKETFUNCTION, set_wanted_events) == CURLM_OK
      && curl_multi_setopt(transfers, CURLMOPT_SOCKETDATA, loop) == CURLM_OK
      && curl_multi_setopt(transfers, CURLMOPT_TIMERFUNCTION, set_timer) == CURLM_OK
      && curl_multi_setopt(transfers, CURLMOPT_TIMERDATA, loop) == CURLM_OK
      && curl_multi_setopt(
             transfers, CURLMOPT_MAXCONNECTS, (long)loop->settings.connections_max)
          == CURLM_OK;
  if (!is_set) {
    curl_multi_cleanup(transfers);
    return NULL;
  }
  return loop->transfers = transfers;
}

/// Closes all connections and frees the spare handles.
static void close_idle(CCurlLoop *loop) {
  if (loop->transfers != NULL) curl_multi_cleanup(loop->transfers);
  loop->transfers = NULL;
  loop->due = loop->idle_end = -1;
  while (loop->spare != NULL) {
    CCurlTransfer *transfer = loop->spare;
    loop->spare = transfer->next;
    transfer_free(transfer);
  }
  loop->spare_count = 0;
}

// MARK: The thread

/// Returns the milliseconds until the next timer, at most an hour; -1 if there is no timer.
static int wait_milliseconds(CCurlLoop *loop) {
  if (loop->first == NULL && loop->transfers != NULL && loop->idle_end < 0) {
    loop->idle_end = loop_now() + loop->settings.idle_seconds * 1000;
  } else if (loop->first != NULL) {
    loop->idle_end = -1;
  }
  bool is_idle_end_first = loop->due < 0 || (loop->idle_end >= 0 && loop->idle_end < loop->due);
  int64_t end = is_idle_end_first ? loop->idle_end : loop->due;
  if (end < 0) return -1;
  int64_t span = end - loop_now();
  return span <= 0 ? 0 : span > 3600000 ? 3600000 : (int)span;
}

static void handle_event(CCurlLoop *loop, const struct epoll_event *event) {
  curl_socket_t descriptor = event->data.fd;
  if (descriptor == loop->flag) {
    uint64_t count;
    (void)!read(loop->flag, &count, sizeof count);
    return;
  }
  Socket *socket = socket_state(loop, descriptor);
  if (socket == NULL) return;
  if (socket->wanted == 0 || loop->transfers == NULL) {
    watch(loop, descriptor, socket, 0);
    return;
  }
  int what = (event->events & EPOLLIN ? CURL_CSELECT_IN : 0)
      | (event->events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
      | (event->events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
  int running;
  curl_multi_socket_action(loop->transfers, descriptor, what, &running);
}

/// Runs due timers. Returns whether a timer of libcurl was due, which may have ended transfers.
static bool run_due_timers(CCurlLoop *loop) {
  int64_t now = loop_now();
  bool is_due = loop->due >= 0 && loop->due <= now && loop->transfers != NULL;
  if (is_due) {
    loop->due = -1;
    int running;
    curl_multi_socket_action(loop->transfers, CURL_SOCKET_TIMEOUT, 0, &running);
  }
  if (loop->idle_end >= 0 && loop->idle_end <= now && loop->first == NULL) close_idle(loop);
  return is_due;
}

static void end_unstarted(CCurlLoop *loop) {
  CCurlTransfer *next;
  for (CCurlTransfer *transfer = loop->first; transfer != NULL; transfer = next) {
    next = transfer->next;
    if (!transfer->is_started) transfer_end(transfer, CURLE_FAILED_INIT);
  }
  loop->has_unstarted = false;
}

static void end_finished(CCurlLoop *loop) {
  if (loop->has_unstarted) end_unstarted(loop);
  CURLMsg *message;
  int left;
  while (loop->transfers != NULL
         && (message = curl_multi_info_read(loop->transfers, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result;
    CCurlTransfer *transfer = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
    if (transfer != NULL) transfer_end(transfer, code);
  }
}

static bool copy(const void *bytes, size_t count, void **destination) {
  if (bytes == NULL) return true;
  *destination = malloc(count);
  if (*destination == NULL) return false;
  memcpy(*destination, bytes, count);
  return true;
}

static void free_loop(CCurlLoop *loop) {
  free(loop->sockets);
  free(loop->authorities);
  free(loop->certificate);
  free(loop->key);
  free(loop->proxy);
  free(loop);
}

static void *run(void *context) {
  CCurlLoop *loop = context;
  current = loop;
  struct epoll_event events[128];
  CCurlTurn next;
  while ((next = loop->turn(loop->context)) != CCurlTurnEnd) {
    // If there is more to do, such as reporting ended transfers, the loop does not wait.
    bool has_more = run_due_timers(loop) || next == CCurlTurnAgain || loop->has_unstarted;
    int wait = has_more ? 0 : wait_milliseconds(loop);
    int count = epoll_wait(loop->epoll, events, 128, wait);
    for (int index = 0; index < count; index++) handle_event(loop, &events[index]);
    run_due_timers(loop);
    end_finished(loop);
  }
  while (loop->first != NULL) ccurl_transfer_stop(loop->first);
  close_idle(loop);
  loop->close(loop->context);
  close(loop->epoll);
  close(loop->flag);
  free_loop(loop);
  return NULL;
}

static bool start(CCurlLoop *loop) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool runs = pthread_create(&thread, &attributes, run, loop) == 0;
  if (runs) pthread_setname_np(thread, "http");
  pthread_attr_destroy(&attributes);
  return runs;
}

static bool prepare(CCurlLoop *loop, const CCurlLoopSettings *settings) {
  loop->epoll = epoll_create1(EPOLL_CLOEXEC);
  loop->flag = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool is_copied = copy(settings->authorities, settings->authorities_count, &loop->authorities)
      && copy(settings->certificate, settings->certificate_count, &loop->certificate)
      && copy(settings->key, settings->key_count, &loop->key)
      && copy(
          settings->proxy, settings->proxy == NULL ? 0 : strlen(settings->proxy) + 1, &loop->proxy);
  if (!is_copied) return false;
  loop->settings.authorities = loop->authorities;
  loop->settings.certificate = loop->certificate;
  loop->settings.key = loop->key;
  loop->settings.proxy = loop->proxy;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = loop->flag};
  return loop->epoll >= 0 && loop->flag >= 0
      && epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->flag, &event) == 0;
}

CCurlLoop *ccurl_loop_open(
    const CCurlLoopSettings *settings, void *context, CCurlTurn (*turn)(void *),
    void (*close_context)(void *)) {
  CCurlLoop *loop = curl_is_ready() ? calloc(1, sizeof *loop) : NULL;
  if (loop == NULL) return NULL;
  loop->settings = *settings;
  loop->context = context;
  loop->turn = turn;
  loop->close = close_context;
  loop->due = loop->idle_end = -1;
  if (prepare(loop, settings) && start(loop)) return loop;
  if (loop->epoll >= 0) close(loop->epoll);
  if (loop->flag >= 0) close(loop->flag);
  free_loop(loop);
  return NULL;
}

void ccurl_loop_wake(CCurlLoop *loop) {
  uint64_t one = 1;
  (void)!write(loop->flag, &one, sizeof one);
}

bool ccurl_loop_is_current(const CCurlLoop *loop) { return current == loop; }
