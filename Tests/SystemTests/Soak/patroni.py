#!/usr/bin/env python3
"""Runs two nodes of a fleet under a light load. Their store is two PostgreSQL servers, managed by
Patroni with one etcd. The leader changes twice: by a switchover, and by a failover, in which the
leader's processes are killed and it becomes the standby. Then checks the result of every event.

Each acknowledged event must have been delivered under one id, and be in the store once.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from fleet import Fleet, PROJECT, Server, free_port, wait_until
from ledger import Ledger
from load import Load
import soak

# The limits in seconds until there is a leader with a standby, and until the service then accepts
# events; more is a violation. The first one includes Patroni's `ttl`.
LEADER_TIMEOUT, SERVICE_TIMEOUT = 120, 30
# The limit of the whole run in seconds.
RUN_TIMEOUT = 540
CONFIGURATION = """
scope: chimed
name: {name}
etcd3: {{hosts: "127.0.0.1:{etcd}"}}
restapi: {{listen: "127.0.0.1:{control}", connect_address: "127.0.0.1:{control}"}}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    synchronous_mode: true
    postgresql: {{use_pg_rewind: true}}
  initdb: [{{auth: trust}}, {{encoding: UTF8}}, {{locale: C.UTF-8}}]
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  bin_dir: {programs}
  data_dir: {directory}/{name}
  pgpass: {directory}/pgpass-{name}
  use_unix_socket: true
  parameters: {{unix_socket_directories: "{directory}"}}
  authentication: {{superuser: {{username: chimed}}, replication: {{username: chimed}}}}
  pg_hba:
  - local all all trust
  - host all all 127.0.0.1/32 trust
  - host replication all 127.0.0.1/32 trust
"""


class Cluster(Server):
    """Two PostgreSQL servers managed by Patroni: a leader and its synchronous standby. Patroni
    calls each a member."""

    def __init__(self, directory):
        super().__init__(directory)
        self.ports = {name: free_port() for name in ("one", "two")}
        self.control_ports = {name: free_port() for name in self.ports}
        self.etcd = free_port()
        self.processes = {}
        hosts = "host=127.0.0.1,127.0.0.1 port=" + ",".join(map(str, self.ports.values()))
        self.location = f"{hosts} user=chimed dbname=postgres target_session_attrs=read-write"

    def begin(self, has_standby):
        client, peer = f"http://127.0.0.1:{self.etcd}", f"http://127.0.0.1:{free_port()}"
        self.start("etcd", "etcd", "--data-dir", "etcd", "--listen-client-urls", client,
                   "--advertise-client-urls", client, "--listen-peer-urls", peer,
                   "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}")
        for name, port in self.ports.items():
            (self.directory / f"{name}.yaml").write_text(CONFIGURATION.format(
                name=name, etcd=self.etcd, control=self.control_ports[name], port=port,
                programs=self.programs, directory=self.directory))
            self.join(name)
        if not wait_until(self.is_whole, LEADER_TIMEOUT, pause=0.5):
            raise SystemExit(f"error: Patroni does not start; see {self.directory}")

    def join(self, name):
        self.start(name, "patroni", f"{name}.yaml")

    def start(self, name, *words):
        with open(self.directory / f"log-{name}", "ab") as log:
            self.processes[name] = subprocess.Popen(
                self.account + list(words), cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)

    def ask(self, name, path, body=None):
        """Sends a request to a member's Patroni; returns the status; 0 if there is no answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.control_ports[name]}/{path}",
            body and json.dumps(body).encode())
        try:
            return urllib.request.urlopen(request, timeout=60).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def leader(self):
        """Returns the name of the member that accepts writes; None if there is none."""
        return next((name for name in self.ports if self.ask(name, "primary") == 200), None)

    def is_whole(self):
        """Returns a true value if there is a leader with a synchronous standby."""
        return self.leader() and any(self.ask(name, "sync") == 200 for name in self.ports)

    def switch_over(self, leader, other):
        """Makes the standby the leader; returns the status of Patroni's answer."""
        return self.ask(leader, "switchover", {"leader": leader, "candidate": other})

    def kill(self, name):
        """Kills a member's processes, as when its machine loses power."""
        patroni = self.processes.pop(name)
        patroni.kill()
        for process in self.server_processes(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        patroni.wait()

    def server_processes(self, name):
        """Returns the process ids of a member's PostgreSQL server, its parent process first."""
        data_directory = self.directory / name
        identifier = (data_directory / "postmaster.pid").read_text().split()[0]
        process = pathlib.Path("/proc", identifier)
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            children = (process / "task" / process.name / "children").read_text().split()
        except OSError:
            return []
        # If the server has ended, another process may have got its id.
        if os.fsencode(data_directory) not in words:
            return []
        return [int(process.name), *map(int, children)]

    def stop(self):
        for name in list(self.processes):
            if (self.directory / name / "postmaster.pid").exists():
                self.kill(name)
        for process in self.processes.values():
            process.kill()
            process.wait()


class PatroniFleet(Fleet):
    server_kind = Cluster


class PatroniSoak(soak.Soak):
    def __init__(self, program, seed, rate):
        self.random_source = random.Random(seed)
        self.fleet = PatroniFleet(program, ["a", "b"])
        self.ledger = Ledger()
        self.load = Load(self.fleet, self.ledger, seed, rate)
        self.load.sizes = [1, 5]
        self.counts = {"switchover": 0, "failover": 0, "kill": 0}
        # The seconds from a new leader until all shards accept events, by the cause.
        self.takeovers = {"switchover": [], "failover": []}
        # The seconds from the start of a change until there is a new leader, by the cause.
        self.elections = {}

    def run(self, seconds):
        self.fleet.begin()
        self.heal("at the start")
        self.load.start()
        for kind in self.takeovers:
            time.sleep(seconds / 3)
            self.change_leader(kind)
            self.heal(f"after the {kind}")
        time.sleep(seconds / 3)

    def change_leader(self, kind):
        cluster = self.fleet.server
        if not wait_until(cluster.is_whole, LEADER_TIMEOUT, pause=0.5):
            return self.ledger.violate(f"there is no synchronous standby before the {kind}")
        leader = cluster.leader()
        other = next(name for name in cluster.ports if name != leader)
        self.counts[kind] += 1
        start = time.monotonic()
        if kind == "failover":
            cluster.kill(leader)
        elif (status := cluster.switch_over(leader, other)) != 200:
            self.ledger.violate(f"the switchover was answered {status}")
        if not wait_until(lambda: cluster.leader() == other, LEADER_TIMEOUT):
            return self.ledger.violate(f"no leader {LEADER_TIMEOUT} seconds after the {kind}")
        self.elections[kind] = time.monotonic() - start
        self.measure(kind, "a")
        if self.takeovers[kind][0] > SERVICE_TIMEOUT:
            self.ledger.violate(
                f"not all shards accept events {SERVICE_TIMEOUT} seconds after the new leader")
        if kind == "failover":
            self.restore(leader)

    def restore(self, member):
        """Starts a member that was killed; it must become the standby."""
        cluster = self.fleet.server
        cluster.join(member)
        if not wait_until(cluster.is_whole, LEADER_TIMEOUT, pause=0.5):
            self.ledger.violate("the old leader does not become the standby")

    def measure_sizes(self):
        self.sizes = [f"Patroni had a new leader {span:.2f} s after the {kind}"
                      for kind, span in self.elections.items()]


def end_overlong_run(*_):
    raise SystemExit(f"error: the run takes longer than {RUN_TIMEOUT} seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--rate", type=float, default=20, help="new events per second")
    parser.add_argument("--program", default=f"{PROJECT}/.build/release/chimed")
    arguments = parser.parse_args()
    for program in ("patroni", "etcd"):
        if shutil.which(program) is None:
            raise SystemExit(f"error: there is no {program}: install patroni and etcd-server")
    print(f"to repeat it: --seconds {arguments.seconds:g} --seed {arguments.seed} "
          f"--rate {arguments.rate:g}", flush=True)
    signal.signal(signal.SIGALRM, end_overlong_run)
    signal.alarm(RUN_TIMEOUT)
    return soak.perform(
        PatroniSoak(os.path.abspath(arguments.program), arguments.seed, arguments.rate),
        arguments.seconds)


if __name__ == "__main__":
    sys.exit(main())
