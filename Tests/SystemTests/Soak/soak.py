#!/usr/bin/env python3
"""Runs three nodes of a fleet under load for a given time, and disturbs them. Nodes are killed,
suspended, drained or stopped. The PostgreSQL server crashes, ends all sessions, or has its standby
promoted. Then checks the result of every event.

Each acknowledged event must have been delivered under one id, and be in the store once.

--tamper changes the record of the last delivery: "lose" as if it were lost, "double" as if it had
arrived under a second id, "forge" as if it were not requested. The check must find that.
"""

import argparse
import json
import os
import random
import signal
import statistics
import sys
import time

from fleet import Fleet, PROJECT, wait_until
from ledger import Ledger
from load import Load, PEOPLE, utc

NAMES = ["a", "b", "c"]
# The names of methods of `Soak`.
TROUBLES = ["kill", "hang", "drain", "stop", "crash", "end_sessions", "promote"]
# The limit in seconds of each wait for the fleet; a longer wait is a violation.
TIMEOUT = 120


class Soak:
    def __init__(self, program, seed, rate):
        self.random_source = random.Random(seed)
        self.fleet = Fleet(program, NAMES)
        self.ledger = Ledger()
        self.load = Load(self.fleet, self.ledger, seed, rate)
        self.counts = dict.fromkeys(TROUBLES, 0)
        # The seconds from each trouble until all shards accept events again, by kind.
        self.takeovers = {kind: [] for kind in TROUBLES if kind != "drain"}

    def run(self, seconds):
        self.fleet.begin()
        self.heal("at the start")
        self.initial_size = self.fleet.server.size()
        self.load.start()
        end = time.monotonic() + seconds
        # Each kind occurs once, and then kinds are random.
        kinds = self.random_source.sample(TROUBLES, len(TROUBLES))
        while time.monotonic() < end:
            self.disturb(kinds.pop() if kinds else self.random_source.choice(TROUBLES))
            time.sleep(self.random_source.uniform(0, 2))

    # Troubles. Each method takes the node to disturb, and the name of another node.

    def disturb(self, kind):
        name = self.random_source.choice(NAMES)
        other = self.random_source.choice([other for other in NAMES if other != name])
        node = self.fleet.nodes[name]
        self.counts[kind] += 1
        getattr(self, kind)(node, other)
        self.heal(f"after the {kind} of {name}")

    def kill(self, node, other):
        node.kill()
        self.measure("kill", other, [node.name])
        node.start()

    def hang(self, node, other):
        node.send(signal.SIGSTOP)
        self.measure("hang", other, [node.name])
        time.sleep(self.random_source.uniform(0, 2))
        node.send(signal.SIGCONT)

    def stop(self, node, other):
        status = node.stop()
        if status != 0:
            self.ledger.violate(f"{node.name} was stopped, and its exit status is {status}")
        self.measure("stop", other, [node.name])
        node.start()

    def drain(self, node, other):
        client = self.fleet.nodes[other]
        status, answer = client.ask("POST", f"/v1/fleet/nodes/{node.name}/drain")
        if status != 200:
            return self.ledger.violate(f"{node.name} cannot be drained: {answer}")
        if not wait_until(lambda: self.are_shards_owned(other, [node.name]), TIMEOUT):
            self.ledger.violate(f"{node.name} has shards {TIMEOUT} seconds after its drain began")
        client.ask("POST", f"/v1/fleet/nodes/{node.name}/undrain")

    def crash(self, _, other):
        self.fleet.server.crash()
        self.measure("crash", other)

    def end_sessions(self, _, other):
        self.fleet.server.end_sessions()
        self.measure("end_sessions", other)

    def promote(self, _, other):
        self.fleet.server.promote()
        self.measure("promote", other)
        self.fleet.server.start_standby()

    def measure(self, kind, other, absent=()):
        """Measures the time until all shards accept events again. The nodes named `absent` must not
        own a shard, and 100 events to many shards must be acknowledged by the node `other`."""
        start = time.monotonic()
        wait_until(lambda: self.are_shards_owned(other, absent), TIMEOUT, pause=0.02)
        with self.load.lock:
            numbers = [self.ledger.add_event(f"p{number}", utc(time.time()))
                       for number in range(100)]
        while numbers and time.monotonic() < start + TIMEOUT:
            numbers = self.load.send(other, numbers)
            with self.load.lock:
                # This loop sends these events again, so the load's threads must not.
                self.ledger.unacknowledged = [
                    number for number in self.ledger.unacknowledged if number not in numbers]
        if numbers:
            self.ledger.violate(f"no takeover {TIMEOUT} seconds after the trouble {kind}")
        self.takeovers[kind].append(time.monotonic() - start)

    def are_shards_owned(self, observer, absent):
        """Returns whether every shard has an owner and no node named `absent` owns one, according
        to the node `observer`."""
        counts = self.fleet.shard_counts(observer)
        return counts is not None and counts.keys().isdisjoint(absent)

    def heal(self, when):
        """Starts nodes that have ended by themselves, and waits until all nodes have shards. `when`
        is for the text of violations."""
        for node in self.fleet.nodes.values():
            if node.process.poll() is not None:
                self.ledger.violate(f"{node.name} has ended by itself {when}")
                node.start()
        if not wait_until(self.fleet.is_whole, TIMEOUT, pause=0.2):
            self.ledger.violate(f"not every node has shards {TIMEOUT} seconds {when}")

    # Results

    def finish_load(self):
        """Ends the load, and waits until all its events are acknowledged and delivered."""
        self.load.end_sending()
        if not self.load.flush(self.random_source, TIMEOUT):
            self.ledger.violate("some events were never acknowledged")
        wait_until(lambda: not self.ledger.missing(), TIMEOUT, pause=0.5)
        self.load.end()

    def tamper(self, how):
        """Changes the record of the last delivery."""
        number = len(self.ledger.entries) - 1
        entry = self.ledger.entries[number]
        line = {"title": f"e{number}", "recipient": entry.person, "id": "another"}
        if how == "lose":
            entry.arrival_count, entry.delivery = 0, None
        elif how == "double":
            self.ledger.record_delivery(json.dumps(line), 0)
        else:
            self.ledger.record_delivery(json.dumps(line | {"title": f"e{number + 1}"}), 0)

    def check(self):
        """Compares the notifications in the store with the ledger, for all people."""
        expected = self.ledger.acknowledged_titles()
        for number in range(PEOPLE):
            person = f"p{number}"
            notifications = self.notifications(person)
            self.ledger.compare(person, expected.get(person, set()), notifications)
        for title in self.ledger.missing():
            self.ledger.violate(f"{title} was acknowledged and never delivered")
        kills = self.counts["kill"]
        if self.ledger.cut_lines > kills:
            self.ledger.violate(f"{self.ledger.cut_lines} lines were cut off by {kills} kills")

    def notifications(self, person):
        """Yields title, id and outcomes of a person's notifications, from a random node."""
        node, after = self.random_source.choice(list(self.fleet.nodes.values())), ""
        while after is not None:
            query = "outcome=any&limit=100" + (f"&after={after}" if after else "")
            status, page = node.ask("GET", f"/v1/recipients/{person}/notifications?{query}")
            if status == 404:
                return
            for item in page["notifications"]:
                outcomes = [delivery["outcome"] for delivery in item["deliveries"]]
                yield item["title"], item["id"], outcomes
            after = page["next"]

    def stop_nodes(self):
        self.measure_sizes()
        for node in self.fleet.nodes.values():
            status = node.stop()
            if status != 0:
                self.ledger.violate(f"{node.name} ended with {status}")

    def measure_sizes(self):
        nodes = self.fleet.nodes.values()
        self.sizes = [
            f"sessions: {len(list(self.fleet.server.sessions()))} with {len(nodes)} nodes",
            f"resident: at most {max(node.memory() for node in nodes) / 1e6:.0f} MB per node",
            f"tables and indices: {(self.fleet.server.size() - self.initial_size) / 1e6:.0f} MB",
        ]

    # The report

    def report(self):
        entries = self.ledger.entries
        print(f"events acknowledged: {sum(entry.acknowledged for entry in entries)} of "
              f"{len(entries)}; refused or unanswered, and sent again: {self.load.refusals}; "
              f"accepted without an answer: {self.ledger.silently_accepted}")
        print("troubles:", ", ".join(f"{kind} {count}" for kind, count in self.counts.items()))
        for kind, spans in self.takeovers.items():
            if spans:
                figures = min(spans), statistics.median(spans), max(spans)
                print(f"time until all shards accept events after the trouble {kind}: "
                      + "min {:.2f}, median {:.2f}, max {:.2f} s".format(*figures))
        print(f"longest wait for an answer: {self.load.longest_wait:.2f} s")
        print(f"lost: {len(self.ledger.missing())}; repeated under the same id: "
              f"{self.ledger.repetition_count()}; lines cut off: {self.ledger.cut_lines}")
        print("; ".join(self.sizes))
        for violation in self.ledger.violations[:20]:
            print("violation:", violation)
        print(f"violations: {len(self.ledger.violations)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--rate", type=float, default=200, help="new events per second")
    parser.add_argument("--program", default=f"{PROJECT}/.build/release/chimed")
    parser.add_argument("--tamper", choices=["lose", "double", "forge"])
    arguments = parser.parse_args()
    print(f"to repeat it: --seconds {arguments.seconds:g} --seed {arguments.seed}", flush=True)
    soak = Soak(os.path.abspath(arguments.program), arguments.seed, arguments.rate)
    return perform(soak, arguments.seconds, arguments.tamper)


def perform(soak, seconds, tamper=None):
    """Performs a run, checks its result, and prints the report. Returns the exit status."""
    try:
        soak.run(seconds)
        soak.finish_load()
        if tamper:
            soak.tamper(tamper)
        soak.check()
        soak.stop_nodes()
    finally:
        soak.load.end()
        soak.fleet.end()
    soak.report()
    if soak.ledger.violations:
        print(f"the logs of the nodes and the server are kept in {soak.fleet.directory}")
        return 1
    soak.fleet.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
