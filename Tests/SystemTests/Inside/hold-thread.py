"""Stops one thread of a process until the process ends: hold-thread.py PID NAME.

NAME is a shell pattern of the thread's name; the first matching thread is stopped. Prints `held`
once the thread has stopped. Uses ptrace(2) with PTRACE_INTERRUPT, because SIGSTOP would stop all
threads."""

import ctypes
import fnmatch
import os
import sys

SEIZE, INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) < 0:
        sys.exit(f"thread {thread} cannot be stopped: {os.strerror(ctypes.get_errno())}")


process, name = sys.argv[1:]
tasks = f"/proc/{process}/task"
threads = {int(task): open(f"{tasks}/{task}/comm").read().strip() for task in os.listdir(tasks)}
matching = sorted(thread for thread in threads if fnmatch.fnmatch(threads[thread], name))
if not matching:
    sys.exit(f"no thread is called {name}: {sorted(threads.values())}")
ptrace(SEIZE, matching[0])
ptrace(INTERRUPT, matching[0])
os.waitpid(matching[0], WALL)
print("held", flush=True)
try:
    os.waitpid(matching[0], WALL)
except ChildProcessError:
    pass
