#!/usr/bin/env python3
"""Runs three nodes of a fleet under load for a given time. Meanwhile nodes are killed, suspended,
drained or stopped, and the server crashes, ends all sessions or has its standby promoted. Then
checks the result of every event.

Each acknowledged event must have been delivered under one id, and be in the store once. With
--tamper the last delivery is changed as if it were lost, repeated or not requested, which must be
found.
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
TROUBLES = ["kill", "hang", "drain", "stop", "crash", "cut", "promote"]
# In seconds; a longer delay is a fault.
PATIENCE = 120


class Soak:
    def __init__(self, program, seed, rate):
        self.chance = random.Random(seed)
        self.fleet = Fleet(program, NAMES)
        self.ledger = Ledger()
        self.load = Load(self.fleet, self.ledger, seed, rate)
        self.counts = dict.fromkeys(TROUBLES, 0)
        # Seconds from each trouble until all shards have accepted an event.
        self.takeovers = {kind: [] for kind in TROUBLES if kind != "drain"}

    def run(self, seconds):
        self.fleet.begin()
        self.heal("at the start")
        self.empty = self.fleet.server.size()
        self.load.start()
        end = time.monotonic() + seconds
        # Each kind once, before random ones.
        kinds = self.chance.sample(TROUBLES, len(TROUBLES))
        while time.monotonic() < end:
            self.trouble(kinds.pop() if kinds else self.chance.choice(TROUBLES))
            time.sleep(self.chance.uniform(0, 2))

    # Troubles

    def trouble(self, kind):
        name = self.chance.choice(NAMES)
        other = self.chance.choice([other for other in NAMES if other != name])
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
        time.sleep(self.chance.uniform(0, 2))
        node.send(signal.SIGCONT)

    def stop(self, node, other):
        status = node.stop()
        if status != 0:
            self.ledger.violate(f"{node.name} was stopped, and ended with {status}")
        self.measure("stop", other, [node.name])
        node.start()

    def drain(self, node, other):
        asked = self.fleet.nodes[other]
        status, answer = asked.ask("POST", f"/v1/fleet/nodes/{node.name}/drain")
        if status != 200:
            return self.ledger.violate(f"{node.name} cannot be drained: {answer}")
        if not wait_until(lambda: self.have_left(other, [node.name]), PATIENCE):
            self.ledger.violate(f"{node.name} was to be drained and was not")
        asked.ask("POST", f"/v1/fleet/nodes/{node.name}/undrain")

    def crash(self, _, other):
        self.fleet.server.crash()
        self.measure("crash", other)

    def cut(self, _, other):
        self.fleet.server.cut()
        self.measure("cut", other)

    def promote(self, _, other):
        self.fleet.server.promote()
        self.measure("promote", other)
        self.fleet.server.follow()

    def measure(self, kind, other, away=()):
        """Measures the time until all shards have an owner again and have acknowledged events
        through another node."""
        began = time.monotonic()
        wait_until(lambda: self.have_left(other, away), PATIENCE, pause=0.02)
        with self.load.lock:
            left = [self.ledger.compose(f"p{number}", utc(time.time())) for number in range(100)]
        while left and time.monotonic() < began + PATIENCE:
            left = self.load.send(other, left)
            with self.load.lock:
                # Other threads may repeat the open events; these are sent here.
                self.ledger.open = [number for number in self.ledger.open if number not in left]
        if left:
            self.ledger.violate(f"no takeover {PATIENCE} seconds after a {kind}")
        self.takeovers[kind].append(time.monotonic() - began)

    def have_left(self, other, away):
        """Returns whether, according to a node, others than the nodes `away` own all shards."""
        owned = self.fleet.owned(other)
        return owned is not None and owned.keys().isdisjoint(away)

    def heal(self, when):
        for node in self.fleet.nodes.values():
            if node.process.poll() is not None:
                self.ledger.violate(f"{node.name} has ended by itself {when}")
                node.start()
        if not wait_until(self.fleet.is_whole, PATIENCE, pause=0.2):
            self.ledger.violate(f"not all nodes have a share {PATIENCE} seconds {when}")

    # Results

    def settle(self):
        self.load.end_sending()
        if not self.load.flush(self.chance, PATIENCE):
            self.ledger.violate("some events were never acknowledged")
        wait_until(lambda: not self.ledger.missing(), PATIENCE, pause=0.5)
        self.load.end()

    def tamper(self, how):
        """Changes the last delivery."""
        number = len(self.ledger.entries) - 1
        entry = self.ledger.entries[number]
        line = {"title": f"e{number}", "recipient": entry.person, "id": "another"}
        if how == "lose":
            entry.times, entry.delivery = 0, None
        elif how == "double":
            self.ledger.deliver(json.dumps(line), 0)
        else:
            self.ledger.deliver(json.dumps(line | {"title": f"e{number + 1}"}), 0)

    def check(self):
        """Compares the store's notifications of all people."""
        expected = self.ledger.expected()
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
        node, after = self.chance.choice(list(self.fleet.nodes.values())), ""
        while after is not None:
            query = "outcome=any&limit=100" + (f"&after={after}" if after else "")
            status, page = node.ask("GET", f"/v1/recipients/{person}/notifications?{query}")
            if status == 404:
                return
            for item in page["notifications"]:
                outcomes = [delivery["outcome"] for delivery in item["deliveries"]]
                yield item["title"], item["id"], outcomes
            after = page["next"]

    def finish(self):
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
            f"tables and indices: {(self.fleet.server.size() - self.empty) / 1e6:.0f} MB",
        ]

    # The report

    def report(self):
        entries = self.ledger.entries
        print(f"events acknowledged: {sum(entry.acknowledged for entry in entries)} of "
              f"{len(entries)}; refused for the moment and sent again: {self.load.refusals}; "
              f"accepted without an answer: {self.ledger.silently_taken}")
        print("troubles:", ", ".join(f"{kind} {count}" for kind, count in self.counts.items()))
        for kind, spans in self.takeovers.items():
            if spans:
                figures = min(spans), statistics.median(spans), max(spans)
                print(f"all shards accept events again after a {kind}: "
                      + "min {:.2f}, median {:.2f}, max {:.2f} s".format(*figures))
        print(f"longest wait for an answer: {self.load.longest:.2f} s")
        print(f"lost: {len(self.ledger.missing())}; repeated under the same id: "
              f"{self.ledger.repeated()}; lines cut off: {self.ledger.cut_lines}")
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
    return carry_out(soak, arguments.seconds, arguments.tamper)


def carry_out(soak, seconds, tamper=None):
    """Runs, checks and reports; returns the exit status."""
    try:
        soak.run(seconds)
        soak.settle()
        if tamper:
            soak.tamper(tamper)
        soak.check()
        soak.finish()
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
