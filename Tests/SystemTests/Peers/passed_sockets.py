"""Executes a program with two listening sockets, as systemd does for a socket unit
(sd_listen_fds(3)). One listens on the loopback at PORT, the other is the Unix socket PATH.

usage: passed_sockets.py PORT PATH PROGRAM ARGUMENT...
"""

import fcntl
import os
import socket
import sys

port, path, *command = sys.argv[1:]
local = socket.socket(socket.AF_UNIX)
local.bind(path)
local.listen()
loopback = socket.create_server(("127.0.0.1", int(port)))
# The sockets have to become the descriptors 3 and 4. First they are copied to higher numbers, so
# that dup2 does not overwrite one of them.
copies = [fcntl.fcntl(listener.fileno(), fcntl.F_DUPFD_CLOEXEC, 5)
          for listener in (local, loopback)]
for number, copy in enumerate(copies, 3):
    os.dup2(copy, number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="chimed:chimed")
os.execv(command[0], command)
