"""The compared servers. Each measurement starts a server in a new directory, and ends it."""

import datetime
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from loads import DELAY
from wire import Connection, command, redis

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("BIN", os.path.join(HERE, "../../../.build/release"))
# The maximum number of jobs that the worker of Redis moves at a time.
BATCH_SIZE = 100

CATALOG = f"""
catalog: peers
events:
  job.set: {{}}
categories:
  WORK: {{title: Work, urgency: normal, channels: {{push: true}}}}
groups:
  work: {{enabled: true}}
reminders:
  job:
    category: WORK
    group: work
    on: {{event: job.set, delay: {DELAY:.0f}s}}
    expires: 1d
    messages: [{{title: A job, body: It is time for it}}]
"""


class Missing(Exception):
    """The error that a program is not installed."""


def program(name):
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")
    if not path:
        raise Missing(f"{name} is not installed")
    return path


class Server:
    """A process with a temporary directory and the address of a socket.

    `start` sets the address, and returns the arguments of `subprocess.Popen`.
    """

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="peers-")
        try:
            self.process = subprocess.Popen(**self.start())
            self.wait_until_ready()
        except BaseException:
            shutil.rmtree(self.directory)
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.stdout:
            self.process.stdout.close()
        self.process.wait()
        shutil.rmtree(self.directory)

    def wait_until_ready(self):
        for _ in range(1_000):
            try:
                return self.connections(1, redis)
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(f"{self.process.args} has ended") from None
                time.sleep(0.02)
        raise RuntimeError(f"{self.process.args} accepts no connections")

    def connections(self, count, parse):
        return [Connection(self.address, parse) for _ in range(count)]


class Chimed(Server):
    def start(self):
        self.address = os.path.join(self.directory, "s")
        catalog = os.path.join(self.directory, "peers.yaml")
        with open(catalog, "w") as file:
            file.write(CATALOG)
        state = os.path.join(self.directory, "state")
        arguments = [os.path.join(BIN, "chimed"), "serve", "--state-directory", state]
        arguments += ["--socket", self.address, "--catalog", catalog, "--sink", "jsonl:-"]
        return dict(args=arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def pieces(self):
        """Yields the pieces of the output, each with the time of its arrival."""
        while True:
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise RuntimeError("chimed has ended")
            yield piece, time.time()

    def read_lines(self, count, due):
        """Returns the time at which the last of `count` deliveries arrives."""
        for piece, now in self.pieces():
            if now < due:
                raise RuntimeError("a delivery came before it was due")
            count -= piece.count(b"\n")
            if count <= 0:
                return now

    def latenesses(self, count, _):
        """Returns the seconds between due time and arrival of each delivery."""
        latenesses, rest = [], b""
        for piece, now in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            latenesses += [now - planned(line) for line in lines]
            if len(latenesses) >= count:
                return latenesses


def planned(line):
    """Returns the planned time of a delivery, in seconds since 1970."""
    text = re.search(rb'"planned":"([^"]+)"', line)[1].decode()
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Redis(Server):
    MOVE = """
local jobs = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])
if #jobs > 0 then
  redis.call('ZREM', KEYS[1], unpack(jobs))
  redis.call('RPUSH', KEYS[2], unpack(jobs))
end
return #jobs
"""

    def __init__(self, sync):
        self.sync = sync

    def start(self):
        self.address = os.path.join(self.directory, "s")
        arguments = [program("redis-server"), "--port", "0", "--unixsocket", self.address]
        arguments += ["--dir", self.directory, "--save", "", "--appendonly", "yes"]
        arguments += ["--appendfsync", self.sync]
        return dict(args=arguments, stdout=subprocess.DEVNULL)

    def move_due_jobs(self, connection):
        """Moves due jobs to the list of running jobs; returns their number."""
        request = command("EVAL", self.MOVE, 2, "jobs", "doing", time.time(), BATCH_SIZE)
        return int(connection.ask(request)[1:])

    def work(self, count, due):
        """Processes `count` jobs with a common due time; returns when the last is processed."""
        connection = self.connections(1, redis)[0]
        time.sleep(max(0, due - time.time()))
        while count > 0:
            count -= self.process_due_jobs(connection)
        return time.time()

    def process_due_jobs(self, connection):
        """Moves due jobs, and removes them as processed; returns their number."""
        moved = self.move_due_jobs(connection)
        if moved:
            connection.ask(command("LTRIM", "doing", moved, -1))
        return moved

    def latenesses(self, count, first):
        """Returns the seconds between due time and processing of each job. The n-th processed job
        is the one that is due n ms after `first`."""
        connection = self.connections(1, redis)[0]
        latenesses = []
        time.sleep(max(0, first - time.time()))
        while len(latenesses) < count:
            moved = self.move_due_jobs(connection)
            now = time.time()
            due = first + len(latenesses) / 1_000
            latenesses += [now - (due + n / 1_000) for n in range(moved)]
            if moved:
                connection.ask(command("LTRIM", "doing", moved, -1))
            else:
                time.sleep(0.000_5)
        return latenesses


class Beanstalk(Server):
    def start(self):
        self.address = ("127.0.0.1", free_port())
        arguments = [program("beanstalkd"), "-l", "127.0.0.1", "-p", str(self.address[1])]
        return dict(args=arguments + ["-b", self.directory, "-f", "0"])


def floor(count):
    """Returns the seconds that SQLite alone needs for the rows of a burst."""
    with tempfile.TemporaryDirectory(prefix="peers-") as directory:
        executable = os.path.join(directory, "floor")
        compiler = program("cc")
        source = os.path.join(HERE, "floor.c")
        subprocess.run([compiler, "-O2", "-o", executable, source, "-lsqlite3"], check=True)
        arguments = [executable, os.path.join(directory, "rows"), str(count)]
        return float(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)


def burst(count):
    """Returns the seconds of a burst in the process of chimed's benchmark, without a service."""
    arguments = [os.path.join(BIN, "benchmarks"), "burst", str(count)]
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"from due to delivered: *([0-9.]+)", output)[1])
