/* A wall clock whose speed is set by a file, for a program that is started with this library in
   LD_PRELOAD. All other clocks are unchanged: deadlines and the watchdog use real time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* At the instant `real` the clock shows `shown`, and runs `rate` times as fast; in nanoseconds. */
struct course {
  int64_t real, shown, rate;
};

/* The content of $FAST_CLOCK. A new course is written to the inactive slot, then activated. */
struct clock_file {
  _Atomic int64_t current;
  struct course courses[2];
};

static const struct clock_file *file;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_settime)(int, int, const struct itimerspec *, struct itimerspec *);

__attribute__((constructor)) static void begin(void) {
  real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  real_settime = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(
      RTLD_NEXT, "timerfd_settime");
  const char *path = getenv("FAST_CLOCK");
  int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) abort();
  file = mmap(NULL, sizeof *file, PROT_READ, MAP_SHARED, descriptor, 0);
  if (file == MAP_FAILED) abort();
  close(descriptor);
}

static const struct course *course(void) { return &file->courses[atomic_load(&file->current)]; }

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * SECOND + time.tv_nsec; }

static struct timespec timespec_of(int64_t time) {
  return (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int code = real_gettime(clock, time);
  if (code != 0 || clock != CLOCK_REALTIME) return code;
  const struct course *now = course();
  *time = timespec_of(now->shown + (nanoseconds(*time) - now->real) * now->rate);
  return 0;
}

/* Converts an absolute time of this clock to the real time. */
int timerfd_settime(
    int timer, int flags, const struct itimerspec *wanted, struct itimerspec *before) {
  struct itimerspec when = *wanted;
  if (flags & TFD_TIMER_ABSTIME) {
    const struct course *now = course();
    int64_t time = now->real + (nanoseconds(when.it_value) - now->shown) / now->rate;
    when.it_value = timespec_of(time > 0 ? time : 1);
  }
  return real_settime(timer, flags, &when, before);
}
