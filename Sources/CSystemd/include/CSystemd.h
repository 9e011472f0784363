#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

// What Swift's Glibc module does not offer: epoll, eventfd, timerfd, addresses of Unix
// sockets, names of threads, and programs that are started without anything of the service's own.
// Every function returns a negative errno on failure, as libsystemd does; descriptors are
// non-blocking and closed on exec, and belong to the caller.

/// Sends one datagram of the sd_notify(3) protocol to the socket at `path`; a leading `@` means
/// the abstract namespace. A queue that is full and has no room within some milliseconds, or
/// within none, is -EAGAIN.
int chime_notify(const char *path, const char *text, size_t length, int milliseconds);

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

/// The same for one that has room to be written to.
int chime_wait_add_writing(int wait, int descriptor, uint64_t tag);

/// Removes a descriptor; needed before it is closed if it was duplicated.
int chime_wait_remove(int wait, int descriptor);

/// Waits until a descriptor has something to read or has hung up, and returns how many tags were
/// written to `tags`. 0 is a timeout or a signal handler's interruption; a `timeout_milliseconds`
/// of -1 waits for ever.
int chime_wait(int wait, uint64_t *tags, int capacity, int timeout_milliseconds);

/// Names the calling thread, for debuggers and `ps -L`; the kernel takes 15 bytes, more is -ERANGE.
int chime_thread_name(const char *name);

/// A program to start: all texts stay the caller's and have to last until it is started.
struct chime_program {
  const char *path;
  /// Both end with a null pointer; `arguments` has the program's name first.
  char *const *arguments;
  char *const *environment;
  /// What become its standard input, output and error; none may be one of these here.
  int input;
  int output;
  int errors;
  /// Bytes of address space, seconds of processor time, open files; 0 leaves it as it is here.
  uint64_t memory_max;
  uint64_t cpu_seconds_max;
  uint64_t files_max;
};

/// Starts a program in the directory `/`, in a session and process group of its own, with no other
/// descriptors, no core dumps and every signal as usual, and returns its process. It is killed when
/// the thread that calls this ends, and so when this process does. `descriptor` gets one that has
/// something to read once it has ended (pidfd_open(2)).
pid_t chime_program_start(const struct chime_program *program, int *descriptor);

/// Sends a signal to a program and to what it has started, as far as that is in its group.
int chime_program_signal(pid_t program, int signal);

/// Takes the end of a program that was started here, and of no other, and kills what is left of its
/// group. Returns 0 if it has not ended, 1 if it has exited with `status`, 2 if the signal `status`
/// killed it.
int chime_program_reap(pid_t program, int descriptor, bool may_wait, int *status);

/// Opens a pipe; it blocks.
int chime_pipe_open(int ends[2]);

/// Opens a file in memory that holds these bytes, to be read from its start.
int chime_text_open(const void *bytes, size_t count);

/// Lets the calling thread, and those it starts, be disturbed by no signal.
int chime_signals_block(void);
