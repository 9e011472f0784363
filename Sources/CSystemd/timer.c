#include "CSystemd.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int chime_timer_open(void) {
  int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  return timer < 0 ? -errno : timer;
}

int chime_timer_arm(int timer, int64_t seconds, int32_t nanoseconds) {
  struct itimerspec when = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  // timerfd refuses instants before 1970, and for the first instant of 1970 it disarms the timer.
  // All of these instants have passed, so the timer has to fire at once.
  if (seconds < 0 || (seconds == 0 && nanoseconds == 0)) {
    when.it_value.tv_sec = 0;
    when.it_value.tv_nsec = 1;
  }
  int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
  return timerfd_settime(timer, flags, &when, NULL) < 0 ? -errno : 0;
}

int chime_timer_disarm(int timer) {
  struct itimerspec never = {0};
  return timerfd_settime(timer, 0, &never, NULL) < 0 ? -errno : 0;
}

int chime_timer_read(int timer) {
  uint64_t expirations = 0;
  ssize_t count = read(timer, &expirations, sizeof expirations);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  // A clock that is set back just as the timer expires can end the read with no bytes at all.
  return count == sizeof expirations && expirations > 0;
}
