"""passed_sockets.py PORT PATH PROGRAM ARGUMENT...: executes a program with two listening sockets,
as systemd does for a socket unit (sd_listen_fds(3))."""

import fcntl
import os
import socket
import sys

port, path, *command = sys.argv[1:]
local = socket.socket(socket.AF_UNIX)
local.bind(path)
local.listen()
loopback = socket.create_server(("127.0.0.1", int(port)))
# The copies are above the numbers 3 and 4, so that neither copy overwrites the other.
copies = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD_CLOEXEC, 5) for one in (local, loopback)]
for number, copy in enumerate(copies, 3):
    os.dup2(copy, number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="chimed:chimed")
os.execv(command[0], command)
