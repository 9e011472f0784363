#include "CSystemd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/// Sets the address and its length, which marks the end of an abstract name. A path may fill
/// `sun_path` without a terminating zero (unix(7)).
static int address_of(const char *path, struct sockaddr_un *address, socklen_t *length) {
  size_t count = strlen(path);
  if (count < 2 || (path[0] != '/' && path[0] != '@')) return -EAFNOSUPPORT;
  if (count >= sizeof address->sun_path) return -ENAMETOOLONG;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, count);
  if (path[0] == '@') address->sun_path[0] = 0;
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count);
  return 0;
}

int chime_notify(const char *path, const char *text, size_t length, int milliseconds) {
  struct sockaddr_un address;
  socklen_t address_length;
  int result = address_of(path, &address, &address_length);
  if (result < 0) return result;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  int flags = MSG_NOSIGNAL | (milliseconds > 0 ? 0 : MSG_DONTWAIT);
  struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  // If no timeout can be set for the send, do not block.
  if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0)
    flags |= MSG_DONTWAIT;
  ssize_t sent;
  do {
    sent = sendto(
        descriptor, text, length, flags, (struct sockaddr *)&address, address_length);
  } while (sent < 0 && errno == EINTR);
  result = sent < 0 ? -errno : 0;
  close(descriptor);
  return result;
}
