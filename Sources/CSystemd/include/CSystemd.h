#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

// What Swift's Glibc module does not offer: epoll, eventfd, timerfd, addresses of Unix
// sockets and names of threads.
// Every function returns a negative errno on failure, as libsystemd does; descriptors are
// non-blocking and closed on exec, and belong to the caller.

/// Sends one datagram of the sd_notify(3) protocol to the socket at `path`; a leading `@` means
/// the abstract namespace. Without `may_wait`, a full queue is -EAGAIN instead of a pause.
int chime_notify(const char *path, const char *text, size_t length, bool may_wait);

/// Opens a timer on the wall clock, disarmed.
int chime_timer_open(void);

/// Lets the timer expire once, at `seconds` and `nanoseconds` after 1970-01-01T00:00Z; an instant
/// that is past expires at once. -ECANCELED says that the wall clock was set since the last read:
/// the timer is armed all the same, and the caller should look at the clock again.
int chime_timer_arm(int timer, int64_t seconds, int32_t nanoseconds);

/// Stops the timer. While it is stopped it does not tell of clock steps either.
int chime_timer_disarm(int timer);

/// Returns 1 if the timer has expired since the last read, 0 if not, -ECANCELED if the wall clock
/// was set or the machine was resumed while it was armed: read the clock and arm again.
int chime_timer_read(int timer);

/// Opens a flag that other threads can raise to wake a wait.
int chime_flag_open(void);

/// Raises the flag; raising it again before it is cleared changes nothing.
int chime_flag_raise(int flag);

/// Lowers the flag and returns 1 if it was raised, 0 if not.
int chime_flag_clear(int flag);

/// Opens a set of descriptors to wait on.
int chime_wait_open(void);

/// Adds a descriptor; `tag` is what `chime_wait` hands out when it has something to read.
int chime_wait_add(int wait, int descriptor, uint64_t tag);

/// Removes a descriptor; needed before it is closed if it was duplicated.
int chime_wait_remove(int wait, int descriptor);

/// Waits until a descriptor has something to read or has hung up, and returns how many tags were
/// written to `tags`. 0 is a timeout or a signal handler's interruption; a `timeout_milliseconds`
/// of -1 waits for ever.
int chime_wait(int wait, uint64_t *tags, int capacity, int timeout_milliseconds);

/// Names the calling thread, for debuggers and `ps -L`; the kernel takes 15 bytes, more is -ERANGE.
int chime_thread_name(const char *name);
