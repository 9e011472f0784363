#define _GNU_SOURCE
#include "CSystemd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/// Lowers a limit of this process permanently; a limit that is lower already stays.
static int limit(int resource, uint64_t maximum) {
  struct rlimit value;
  if (getrlimit(resource, &value) < 0) return -1;
  if (value.rlim_max != RLIM_INFINITY && value.rlim_max < maximum) maximum = value.rlim_max;
  value.rlim_cur = value.rlim_max = maximum;
  return setrlimit(resource, &value);
}

static int set_limits(const struct chime_program *program) {
  if (limit(RLIMIT_CORE, 0) < 0) return -1;
  if (program->files_max > 0 && limit(RLIMIT_NOFILE, program->files_max) < 0) return -1;
  if (program->cpu_seconds_max > 0 && limit(RLIMIT_CPU, program->cpu_seconds_max) < 0) return -1;
  if (program->memory_max > 0 && limit(RLIMIT_AS, program->memory_max) < 0) return -1;
  return 0;
}

/// Gives ignored signals their default effect, because execve resets only caught signals.
static void reset_signals(void) {
  struct sigaction default_action = {.sa_handler = SIG_DFL};
  for (int number = 1; number <= SIGRTMAX; number += 1) sigaction(number, &default_action, NULL);
}

static int set_descriptors(const struct chime_program *program) {
  if (dup2(program->input, STDIN_FILENO) < 0) return -1;
  if (dup2(program->output, STDOUT_FILENO) < 0) return -1;
  if (dup2(program->errors, STDERR_FILENO) < 0) return -1;
  return close_range(STDERR_FILENO + 1, ~0U, 0);
}

/// Runs in the new process until execve. The process uses its parent's memory while the parent
/// waits, so only system calls are allowed here.
static void become(const struct chime_program *program, pid_t parent, volatile int *failure) {
  sigset_t none;
  sigemptyset(&none);
  if (setsid() >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
    reset_signals();
    if (set_descriptors(program) == 0 && set_limits(program) == 0 && chdir("/") == 0) {
      sigprocmask(SIG_SETMASK, &none, NULL);
      execve(program->path, program->arguments, program->environment);
    }
  }
  *failure = errno == 0 ? ECHILD : errno;
  _exit(127);
}

static pid_t start(const struct chime_program *program, volatile int *failure) {
  sigset_t all, previous_mask;
  sigfillset(&all);
  // A handler in the new process would write into this process's memory.
  pthread_sigmask(SIG_SETMASK, &all, &previous_mask);
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) become(program, parent, failure);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &previous_mask, NULL);
  return child < 0 ? -error : child;
}

pid_t chime_program_start(const struct chime_program *program, int *descriptor) {
  bool are_usable = program->input > STDERR_FILENO && program->output > STDERR_FILENO
      && program->errors > STDERR_FILENO;
  if (!are_usable) return -EBADF;
  volatile int failure = 0;
  pid_t child = start(program, &failure);
  if (child < 0) return child;
  int error = failure;
  if (error == 0) {
    *descriptor = pidfd_open(child, 0);
    if (*descriptor >= 0) return child;
    error = errno;
    kill(-child, SIGKILL);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return -error;
}

int chime_program_signal(pid_t program, int signal) {
  return kill(-program, signal) < 0 ? -errno : 0;
}

int chime_program_reap(pid_t program, int descriptor, bool may_wait, int *status) {
  siginfo_t info = {0};
  int options = WEXITED | WNOWAIT | (may_wait ? 0 : WNOHANG);
  int result;
  do {
    result = waitid(P_PIDFD, descriptor, &info, options);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return -errno;
  if (info.si_pid == 0) return 0;
  // The kernel does not reuse the group's number before its leader is reaped.
  kill(-program, SIGKILL);
  if (waitid(P_PIDFD, descriptor, &info, WEXITED) < 0) return -errno;
  *status = info.si_status;
  return info.si_code == CLD_EXITED ? 1 : 2;
}

int chime_pipe_open(int ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0; }

int chime_text_open(const void *bytes, size_t count) {
  int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return -errno;
  size_t written = 0;
  while (written < count) {
    ssize_t result = write(file, (const char *)bytes + written, count - written);
    if (result < 0 && errno != EINTR) {
      int error = errno;
      close(file);
      return -error;
    }
    if (result > 0) written += result;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

int chime_signals_block(void) {
  sigset_t all;
  sigfillset(&all);
  return -pthread_sigmask(SIG_SETMASK, &all, NULL);
}
