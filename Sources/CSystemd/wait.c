#include "CSystemd.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

/// The maximum number of events that one wait reports; the next wait reports the others.
#define EVENTS_MAX 16

int chime_wait_open(void) {
  int wait = epoll_create1(EPOLL_CLOEXEC);
  return wait < 0 ? -errno : wait;
}

int chime_wait_add(int wait, int descriptor, uint64_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = tag}};
  return epoll_ctl(wait, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

int chime_wait_add_writing(int wait, int descriptor, uint64_t tag) {
  struct epoll_event event = {.events = EPOLLOUT, .data = {.u64 = tag}};
  return epoll_ctl(wait, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

int chime_wait_remove(int wait, int descriptor) {
  return epoll_ctl(wait, EPOLL_CTL_DEL, descriptor, NULL) < 0 ? -errno : 0;
}

int chime_wait(int wait, uint64_t *tags, int capacity, int timeout_milliseconds) {
  struct epoll_event events[EVENTS_MAX];
  int count_max = capacity < EVENTS_MAX ? capacity : EVENTS_MAX;
  int count = epoll_wait(wait, events, count_max, timeout_milliseconds);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int index = 0; index < count; index += 1) tags[index] = events[index].data.u64;
  return count;
}
