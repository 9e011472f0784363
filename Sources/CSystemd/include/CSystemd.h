#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

// System calls that Swift's Glibc module lacks: epoll, eventfd, timerfd, addresses of Unix sockets,
// thread names, and programs that inherit nothing from the service. Every function returns a
// negative errno on failure, as libsystemd does. Descriptors are non-blocking, closed on exec, and
// belong to the caller.

/// Sends one sd_notify(3) datagram to the socket at `path`; a leading `@` means the abstract
/// namespace. Returns -EAGAIN if the receiver's queue stays full for `milliseconds`, which may be
/// 0.
int chime_notify(const char *path, const char *text, size_t length, int milliseconds);

/// Opens a disarmed timer on the wall clock.
int chime_timer_open(void);

/// Arms the timer to expire once, at `seconds` and `nanoseconds` after 1970-01-01T00:00Z; at a past
/// instant it expires at once. Returns -ECANCELED if the wall clock was set since the last read.
/// The timer is armed nevertheless, and the caller should read the clock again.
int chime_timer_arm(int timer, int64_t seconds, int32_t nanoseconds);

/// Stops the timer. A stopped timer does not report clock steps.
int chime_timer_disarm(int timer);

/// Returns 1 if the timer has expired since the last read, otherwise 0. Returns -ECANCELED if the
/// wall clock was set or the machine was resumed while the timer was armed; then the caller should
/// read the clock and arm the timer again.
int chime_timer_read(int timer);

/// Opens a flag with which other threads can wake a wait.
int chime_flag_open(void);

/// Raises the flag; has no effect if the flag is already raised.
int chime_flag_raise(int flag);

/// Lowers the flag and returns 1 if it was raised, 0 if not.
int chime_flag_clear(int flag);

/// Opens a set of descriptors to wait on.
int chime_wait_open(void);

/// Adds a descriptor; `chime_wait` returns `tag` when the descriptor is readable.
int chime_wait_add(int wait, int descriptor, uint64_t tag);

/// Adds a descriptor; `chime_wait` returns `tag` when the descriptor is writable.
int chime_wait_add_writing(int wait, int descriptor, uint64_t tag);

/// Removes a descriptor. This is required before a duplicated descriptor is closed.
int chime_wait_remove(int wait, int descriptor);

/// Waits until a descriptor is ready or has hung up, and returns the number of tags written to
/// `tags`. Returns 0 after a timeout or a signal; a `timeout_milliseconds` of -1 waits forever.
int chime_wait(int wait, uint64_t *tags, int capacity, int timeout_milliseconds);

/// Names the calling thread, for debuggers and `ps -L`. The kernel's limit is 15 bytes; a longer
/// name returns -ERANGE.
int chime_thread_name(const char *name);

/// A program to start. The caller owns all texts, which must stay valid until the program is
/// started.
struct chime_program {
  const char *path;
  /// Null-terminated arrays; `arguments` begins with the program's name.
  char *const *arguments;
  char *const *environment;
  /// The descriptors of the program's standard input, output and error; all must be above 2.
  int input;
  int output;
  int errors;
  /// The limits: bytes of address space, seconds of processor time, and open files. 0 keeps the
  /// current limit.
  uint64_t memory_max;
  uint64_t cpu_seconds_max;
  uint64_t files_max;
};

/// Starts a program in the directory `/`, in its own session and process group, without other
/// descriptors, without core dumps and with default signal handlers. Returns its process id. The
/// program is killed when the calling thread ends, and so also when this process ends. `descriptor`
/// receives a descriptor that becomes readable when the program ends (pidfd_open(2)).
pid_t chime_program_start(const struct chime_program *program, int *descriptor);

/// Sends a signal to a program and its process group.
int chime_program_signal(pid_t program, int signal);

/// Reaps a program that was started here, and kills the rest of its group. Returns 0 if the program
/// has not ended, 1 if it exited with `status`, 2 if the signal `status` killed it. With
/// `may_wait`, waits until the program has ended.
int chime_program_reap(pid_t program, int descriptor, bool may_wait, int *status);

/// Opens a blocking pipe.
int chime_pipe_open(int ends[2]);

/// Opens a file in memory with these bytes, positioned at its start.
int chime_text_open(const void *bytes, size_t count);

/// Blocks all signals in the calling thread, and in the threads that it starts later.
int chime_signals_block(void);
