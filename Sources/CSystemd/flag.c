#include "CSystemd.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int chime_flag_open(void) {
  int flag = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return flag < 0 ? -errno : flag;
}

int chime_flag_raise(int flag) {
  uint64_t one = 1;
  ssize_t count = write(flag, &one, sizeof one);
  // EAGAIN means that the counter is at its limit, so the flag is already raised.
  return count < 0 && errno != EAGAIN ? -errno : 0;
}

int chime_flag_clear(int flag) {
  uint64_t raised;
  ssize_t count = read(flag, &raised, sizeof raised);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  return 1;
}
