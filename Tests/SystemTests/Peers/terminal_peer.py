"""Plays a person at a terminal: runs a program there, types, and reports the result.

terminal_peer.py KEYS UNTIL PROGRAM ARGUMENTS...

Types KEYS once the output contains UNTIL. Prints a line of JSON: how the program ended, whether the
terminal's modes are restored, and the end of the output.
"""
import fcntl
import json
import os
import pty
import select
import sys
import termios

keys, until, *command = sys.argv[1:]
master, slave = pty.openpty()
before = termios.tcgetattr(slave)
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
typed = False
ended = None
while ended is None:
    if select.select([master], [], [], 0.05)[0]:
        output += os.read(master, 65536)
    if not typed and until.encode() in output:
        os.write(master, keys.encode())
        typed = True
    found, status = os.waitpid(process, os.WNOHANG)
    ended = os.waitstatus_to_exitcode(status) if found else None
while select.select([master], [], [], 0)[0]:
    output += os.read(master, 65536)
print(json.dumps({
    "ended": ended,
    "restored": termios.tcgetattr(slave) == before,
    "tail": output[-16:].decode(errors="replace"),
}))
