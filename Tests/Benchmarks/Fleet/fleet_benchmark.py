#!/usr/bin/env python3
"""Compares one, two and three nodes on PostgreSQL with a service on SQLite, and prints a table.

The nodes, the PostgreSQL server and the clients are on this machine. The server syncs its commits,
and has no standby. The clients' 4 or 64 connections are divided evenly among the nodes. The time of
takeovers is not measured here, but by `make soak`.
"""

import argparse
import datetime
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Peers"), str(HERE.parents[1] / "SystemTests/Soak")]

import fleet
import loads
import wire


class Nodes(fleet.Fleet):
    """A fleet with the default settings, except that it has no standby."""

    lease, shards, has_standby = 5, 64, False

    def begin(self):
        super().begin()
        share = -(-self.shards // len(self.names))
        if not fleet.wait_until(lambda: self.largest_share() == share, 120, pause=0.2):
            raise SystemExit("error: the shards are not spread evenly over the nodes")
        # A shard accepts events only after its owner has loaded it.
        events = [event("warm", number, time.time() + 86_400) for number in range(1_000)]
        if not fleet.wait_until(lambda: self.accept(events), 60, pause=0.2):
            raise SystemExit("error: some shards accept no events")

    def accept(self, events):
        """Sends events to every node; returns whether all were accepted."""
        answers = [node.ask("POST", "/v1/events", events)[1] for node in self.nodes.values()]
        return all(answer["refused"] == 0 for answer in answers)

    def largest_share(self):
        """Returns the greatest number of shards of a node; infinite while a shard has no owner."""
        counts = self.shard_counts(self.names[0])
        return max(counts.values()) if counts else float("inf")

    def size(self):
        return self.server.size()


class Single(fleet.Fleet):
    """A service on SQLite."""

    def membership(self, name):
        return ""

    def begin(self):
        (self.directory / "soak.yaml").write_text(fleet.CATALOG)
        self.nodes = {name: fleet.Node(self, name) for name in self.names}
        for node in self.nodes.values():
            node.start()
        socket = self.directory / self.names[0] / "socket"
        fleet.wait_until(socket.exists, 60)

    def size(self):
        return sum(file.stat().st_size for file in self.directory.rglob("*.sqlite*"))


class Sinks:
    """Reads the deliveries from the files of all nodes' sinks."""

    def __init__(self, target):
        self.files = [node.deliveries for node in target.nodes.values()]
        self.offsets = [0] * len(self.files)

    def lines(self):
        """Yields the lines that were added since the previous call."""
        for number, file in enumerate(self.files):
            if file.exists() and file.stat().st_size > self.offsets[number]:
                with open(file, "rb") as opened:
                    opened.seek(self.offsets[number])
                    lines, newline, _ = opened.read().rpartition(b"\n")
                self.offsets[number] += len(lines + newline)
                yield from lines.splitlines()

    def read(self, count, timeout):
        """Returns `count` lines, each with the time when it was read."""
        arrivals, deadline = [], time.time() + timeout
        while len(arrivals) < count:
            lines, now = list(self.lines()), time.time()
            arrivals += [(line, now) for line in lines]
            if now > deadline:
                raise SystemExit(f"error: only {len(arrivals)} of {count} deliveries arrived")
            if not lines:
                time.sleep(0.000_5)
        return arrivals


def connections(target, count):
    """Opens `count` connections, which are divided evenly among the nodes."""
    sockets = [f"{node.directory}/socket" for node in target.nodes.values()]
    return [wire.Connection(sockets[number % len(sockets)], wire.http) for number in range(count)]


def posts(kind, numbers, size, at):
    """Yields requests of `size` events each. `at` returns the due time for an event's number."""
    for first in range(0, len(numbers), size):
        batch = numbers[first:first + size]
        yield loads.post([event(kind, number, at(number)) for number in batch])


def event(kind, number, at):
    data = {"category": "WORK", "title": f"Job {number}", "body": "Said once", "at": loads.utc(at)}
    return {"specversion": "1.0", "id": f"{kind}{number}", "source": "bench",
            "subject": f"{kind}-{number}", "type": "notification.requested", "data": data}


def intake(target, kind, count, size, clients):
    """Returns the accepted events per second. Each is durable before it is answered, and none is
    due during the measurement."""
    tomorrow = time.time() + 86_400
    requests = list(posts(kind, range(count), size, lambda _: tomorrow))
    return count / wire.all_at_once(connections(target, clients), requests)


def burst(target, count):
    """Returns the seconds from the common due time of all notifications to their last delivery."""
    due = time.time() + 5 + count / 2_500
    wire.all_at_once(connections(target, 4), posts("burst", range(count), 1_000, lambda _: due))
    if time.time() > due:
        raise SystemExit("error: the events were not accepted before they were due")
    return Sinks(target).read(count, due - time.time() + 300)[-1][1] - due


def lateness(target, seconds):
    """Returns the median and the 99th percentile of the lateness in milliseconds, with 1,000
    notifications per second."""
    sinks, count = Sinks(target), seconds * 1_000
    list(sinks.lines())
    first = time.time() + 5 + count / 2_500
    at = lambda number: first + number / 1_000
    wire.all_at_once(connections(target, 4), posts("late", range(count), 1_000, at))
    latenesses = sorted(now - planned(line) for line, now in sinks.read(count, 120))
    return 1_000 * latenesses[count // 2], 1_000 * latenesses[count * 99 // 100]


def planned(line):
    """Returns the planned time of a delivery, in seconds since 1970."""
    text = json.loads(line)["planned"].replace("Z", "+00:00")
    return datetime.datetime.fromisoformat(text).timestamp()


def measure(name, target, count):
    """Prints the table's row for a fleet or a single service, and removes it."""
    try:
        target.begin()
        initial_size = target.size()
        figures = [
            f"{intake(target, 'batch', count, 1_000, 4):,.0f}",
            f"{intake(target, 'single', count // 10, 1, 64):,.0f}",
            f"{burst(target, count):.2f} s",
            "{:.1f}, {:.1f} ms".format(*lateness(target, 5)),
        ]
        memory = max(node.memory() for node in target.nodes.values())
        figures += [f"{memory / 1e6:.0f} MB", f"{(target.size() - initial_size) / 1e6:.0f} MB"]
        print(f"| {name} | " + " | ".join(figures) + " |", flush=True)
    finally:
        target.end()
        target.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--program", default=f"{fleet.PROJECT}/.build/release/chimed")
    arguments = parser.parse_args()
    print("| | accepted events per second, 1,000 per request | one per request, 64 connections "
          f"| {arguments.count:,} due at once: time to the last delivery "
          "| lateness with 1,000 per second, p50 and p99 "
          "| resident memory, at most per node | growth on disk by all loads |")
    print("| --- " * 7 + "|")
    measure("SQLite", Single(arguments.program, ["a"]), arguments.count)
    for names in (["a"], ["a", "b"], ["a", "b", "c"]):
        title = "1 node" if len(names) == 1 else f"{len(names)} nodes"
        measure(title, Nodes(arguments.program, names), arguments.count)


if __name__ == "__main__":
    main()
