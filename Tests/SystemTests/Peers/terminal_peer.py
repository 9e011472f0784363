"""Acts as a person at a terminal: runs a program, types, and reports the result.

usage: terminal_peer.py KEYS TEXT PROGRAM ARGUMENT...

Types KEYS once the output contains TEXT. Prints a line of JSON: the program's exit status (negative
for a signal), whether the terminal has its initial modes, and the last 16 bytes of the output.
"""
import fcntl
import json
import os
import pty
import select
import sys
import termios

keys, text, *command = sys.argv[1:]
master, slave = pty.openpty()
initial_modes = termios.tcgetattr(slave)
process = os.fork()
if process == 0:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for standard in range(3):
        os.dup2(slave, standard)
    os.environ["TERM"] = "xterm"
    os.execv(command[0], command)
output = b""
has_typed = False
exit_status = None
while exit_status is None:
    if select.select([master], [], [], 0.05)[0]:
        output += os.read(master, 65536)
    if not has_typed and text.encode() in output:
        os.write(master, keys.encode())
        has_typed = True
    ended_process, status = os.waitpid(process, os.WNOHANG)
    exit_status = os.waitstatus_to_exitcode(status) if ended_process else None
while select.select([master], [], [], 0)[0]:
    output += os.read(master, 65536)
print(json.dumps({
    "ended": exit_status,
    "restored": termios.tcgetattr(slave) == initial_modes,
    "tail": output[-16:].decode(errors="replace"),
}))
