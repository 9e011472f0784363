/* Replaces the wall clock of a program that is started with this library in LD_PRELOAD. The file
   $FAST_CLOCK sets its time and speed. All other clocks are unchanged, so timeouts and the watchdog
   use real time. */
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
#define COURSES_MAX 16384

/* A stretch of constant speed: at the real time `real` the clock shows the time `shown`, and then
   runs `rate` times as fast as real time until the next course begins. Times are in nanoseconds. */
struct course {
  int64_t real, shown, rate;
};

/* The content of $FAST_CLOCK. A writer appends a course, and only then increments the count. */
struct clock_file {
  _Atomic int64_t count;
  struct course courses[COURSES_MAX];
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

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * SECOND + time.tv_nsec; }

static struct timespec timespec_of(int64_t time) {
  return (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
}

/* Returns the index of the course at a real time. */
static int64_t course_at(int64_t real) {
  int64_t first = 0, end = atomic_load(&file->count);
  while (end - first > 1) {
    int64_t middle = (first + end) / 2;
    if (file->courses[middle].real <= real) first = middle;
    else end = middle;
  }
  return first;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int code = real_gettime(clock, time);
  if (code != 0 || clock != CLOCK_REALTIME) return code;
  int64_t now = nanoseconds(*time);
  const struct course *course = file->courses + course_at(now);
  *time = timespec_of(course->shown + (now - course->real) * course->rate);
  return 0;
}

/* Returns the real time, possibly in the past, at which this clock shows a time. */
static int64_t real_time(int64_t shown) {
  struct timespec time;
  real_gettime(CLOCK_REALTIME, &time);
  int64_t count = atomic_load(&file->count), index = course_at(nanoseconds(time));
  while (index + 1 < count && shown >= file->courses[index + 1].shown) index += 1;
  const struct course *course = file->courses + index;
  int64_t real = course->real + (shown - course->shown) / course->rate;
  /* If the clock leaps over `shown` when the next course begins, the result is the start of that
     course. */
  if (index + 1 < count && real > course[1].real) real = course[1].real;
  return real;
}

/* Replaces an absolute time of this clock by the real time at which the clock shows it. */
int timerfd_settime(
    int timer, int flags, const struct itimerspec *new_value, struct itimerspec *old_value) {
  struct itimerspec value = *new_value;
  if (flags & TFD_TIMER_ABSTIME) {
    int64_t time = real_time(nanoseconds(value.it_value));
    value.it_value = timespec_of(time > 0 ? time : 1);
  }
  return real_settime(timer, flags, &value, old_value);
}
