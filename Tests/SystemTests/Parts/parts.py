#!/usr/bin/env python3
"""Runs a service under a light load while its parts fail and heal, several at a time: sinks, files
of the configuration, the store, and callers. Everything that does not depend on a failing part has
to go on, the status has to name the part, and everything has to be well after it is healed.

The seed determines the schedule, which is printed. A part begins later than planned if an earlier
failure of its track, or of the same sink, is not over.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Soak"))

import failures
from callers import CALLERS, Caller, Hostile, Reporter, Stalls, start
from fleet import PLACES, PROJECT, wait_until
from judge import Judge
from ledger import Ledger
from schedule import KINDS, ON_A_FILE, ON_A_SERVER, compose
from service import FAILING, FileStore, Receiver, ServerStore

# The limits in seconds: until the status names a failure, until a healed part is well, and for each
# wait at the start and the end of a run and before a failure.
NAMED, WELL = 5, 5
PATIENCE = 60


class Failure:
    """One failure of a part. All times are of one monotonic clock; None if not reached."""

    def __init__(self, plan, part):
        self.plan, self.part = plan, part
        self.began = self.failed = self.healed = self.well = None
        # Seconds; they begin again after another part has obstructed the service.
        self.time_to_name = self.time_to_well = None

    def obstructs(self, at):
        """Returns whether the service cannot write or answer at an instant."""
        return (self.part.blocks_store or self.part.has_restart) and self.is_bad(at, at)

    def is_absence(self, start, end):
        """Returns whether the service restarts within a span."""
        return self.part.has_restart and self.is_bad(start, end)

    def is_bad(self, start, end):
        last = self.well if self.part.blocks_store else self.failed
        return self.began <= end and (last is None or start <= last)


class Run:
    def __init__(self, arguments, store):
        self.seed, self.seconds = arguments.seed, arguments.seconds
        self.chance = random.Random(self.seed)
        self.ledger, self.failures = Ledger(), []
        self.receivers = {
            sink: Receiver(lambda line: self.reporter.record(line)) for sink in FAILING}
        kind = ServerStore if store == "postgresql" else FileStore
        self.store = kind(os.path.abspath(arguments.program), self.receivers)
        self.reporter = Reporter(self.store, self.ledger, self.seed, arguments.rate)
        self.stalls, self.waits, self.violations = Stalls(), [], []
        self.locks = {name: threading.Lock()
                      for name in [*FAILING, "configuration", "secrets", "store"]}
        self.began = time.monotonic()
        self.service = self.is_over = None

    # The course

    def plan(self):
        left_out = ON_A_FILE if isinstance(self.store, ServerStore) else set(ON_A_SERVER)
        if not self.store.has_disk:
            left_out = left_out | {"full disk"}
        self.plans = compose(self.chance, self.seconds, left_out)
        for plan in self.plans:
            print("second {:5} for {:4} s: {} ({}, {})".format(
                plan.second, plan.seconds, plan.kind, plan.target, plan.variant), flush=True)

    def begin(self):
        self.store.begin()
        self.plan()
        self.service = self.store.nodes["one"]
        if not wait_until(lambda: self.service.is_ready() and self.is_well(), PATIENCE):
            raise SystemExit(f"error: the service does not start; see {self.store.directory}")
        self.hostile = Hostile(
            self.service, [plan.variant for plan in self.plans if plan.track == "callers"])
        callers = [Caller(self.service, number, self.waits) for number in range(CALLERS)]
        self.is_over = start([*callers, self.stalls])
        self.reporter.start()

    def is_well(self):
        status = self.service.status()
        return "lanes" in status and status["storageFailure"] is None \
            and status["reloadFailure"] is None and not status["outdatedSinks"]

    def run(self):
        self.began = time.monotonic()
        tracks = [threading.Thread(target=self.follow, args=(track,), daemon=True)
                  for track in sorted({plan.track for plan in self.plans})]
        for track in tracks:
            track.start()
        for track in tracks:
            track.join()

    def follow(self, track):
        for plan in [plan for plan in self.plans if plan.track == track]:
            time.sleep(max(0, self.began + plan.second - time.monotonic()))
            if time.monotonic() > self.began + self.seconds:
                return
            try:
                self.suffer(plan)
            except Exception as error:  # The fault of a track does not end the others.
                self.violate(time.monotonic(), plan, f"the test failed: {error!r}")

    def suffer(self, plan):
        part = self.make(plan)
        with contextlib.ExitStack() as stack:
            for name in self.needs(plan):
                stack.enter_context(self.locks[name])
            if plan.target in FAILING and self.rest(plan.target) is None:
                return self.violate(time.monotonic(), plan, "(c) the sink is not well beforehand")
            self.pass_through(Failure(plan, part))

    def rest(self, sink):
        """Waits until a sink has nothing to attempt again: a second retry would be due after five
        minutes (rule D2)."""
        return self.watch(failures.SinkPart(self.service, sink, None).is_well, PATIENCE)

    def needs(self, plan):
        """Returns the locks of everything that two failures cannot break at once. The order of the
        locks is the same for all failures."""
        names = {plan.target} & set(FAILING)
        if plan.kind in ("secret", "wrong secret", "catalog", "no secret"):
            names.add("configuration")
        if plan.kind in ("secret", "wrong secret", "no secret", "lock, restart"):
            names.add("secrets")
        # A delivery that waited for the store would be answered 401 twice.
        if plan.kind == "wrong secret" or plan.track == "store":
            names.add("store")
        return sorted(names)

    def pass_through(self, failure):
        part, plan = failure.part, failure.plan
        failure.began = time.monotonic()
        self.failures.append(failure)
        part.fail()
        failure.failed = time.monotonic()
        failure.time_to_name = self.watch(part.is_named, NAMED, failure)
        if failure.time_to_name is None:
            self.violate(failure.failed, plan, f"(b) the status does not name it after {NAMED} s")
        time.sleep(max(0, failure.began + plan.seconds - time.monotonic()))
        part.heal()
        failure.healed = time.monotonic()
        limit = part.allowance + WELL
        failure.time_to_well = self.watch(part.is_well, limit, failure)
        failure.well = time.monotonic()
        if failure.time_to_well is None:
            self.violate(failure.healed, plan, f"(c) it is not well {limit:.0f} s after healing")
        for fault in part.faults:
            self.violate(failure.began, plan, fault)

    def watch(self, condition, limit, failure=None):
        """Returns the seconds until the condition is met; None if it takes longer than the limit.
        The count begins again after another part has obstructed the service."""
        began = time.monotonic()
        while not condition():
            time.sleep(0.05)
            now = time.monotonic()
            if self.is_obstructed(now, failure):
                began = now
            elif now - began > limit:
                return None
        return time.monotonic() - began

    def is_obstructed(self, at, besides):
        return any(other.obstructs(at) for other in self.failures if other is not besides)

    def make(self, plan):
        arguments = (self.service, plan.target, plan.variant)
        if plan.kind in ("refuses", "hangs", "error 500", "error 410"):
            return failures.Refusal(self.receivers, *arguments)
        if plan.kind in ON_A_SERVER:
            return failures.Interruption(self.store, *arguments)
        if plan.kind.startswith("attack"):
            return failures.Attack(self.hostile, *arguments)
        kinds = {"secret": failures.Secret, "wrong secret": failures.Exchanged,
                 "catalog": failures.Catalog, "no secret": failures.Unmade,
                 "lock": failures.Lock, "lock, restart": failures.RestartedLock,
                 "full disk": failures.FullDisk}
        return kinds[plan.kind](*arguments)

    def violate(self, at, plan, text):
        part = f"{plan.kind} ({plan.target}, {plan.variant})" if plan else "no part"
        self.violations.append(
            f"seed {self.seed}, second {at - self.began:.1f}, {part}: {text}")

    # The end

    def settle(self):
        self.reporter.end_sending()
        if not self.reporter.flush(self.chance, PATIENCE):
            self.violate(time.monotonic(), None, "(d) some events were never acknowledged")
        wait_until(lambda: not self.ledger.missing(), PATIENCE, pause=0.2)
        self.reporter.end()
        self.is_over.set()
        if not wait_until(self.is_well, WELL):
            self.violate(time.monotonic(), None, f"(c) the end is not well: {self.faults()}")

    def faults(self):
        status = self.service.status()
        return [status.get(key)
                for key in ("problem", "storageFailure", "reloadFailure", "outdatedSinks")]

    def tamper(self, how):
        """Changes the last delivery as if it were lost, late or sent twice."""
        number = next(number for number, entry in reversed(list(enumerate(self.ledger.entries)))
                      if entry.acknowledged and entry.times)
        entry = self.ledger.entries[number]
        if how == "lose":
            entry.times = 0
        elif how == "delay":
            entry.seen += 3_600
        else:
            line = {"title": f"e{number}", "recipient": entry.person, "id": "another"}
            self.ledger.deliver(json.dumps(line), time.monotonic())

    def end(self):
        """Ends every process and thread, also after a failure."""
        if self.is_over:
            self.is_over.set()
        self.reporter.is_over.set()
        self.reporter.is_read.set()
        for receiver in self.receivers.values():
            receiver.release.set()
        if self.service and self.service.process:
            self.finish()
        self.store.end()

    def finish(self):
        if self.service.process.poll() is not None:
            return self.violate(time.monotonic(), None, "the service has ended by itself")
        with contextlib.suppress(Exception):
            if self.service.stop(20) != 0:
                self.violate(time.monotonic(), None, "the service did not stop well")


def begin_deadline(run, seconds):
    """Kills the service and ends the program if a run hangs. Returns the timer."""
    def expire():
        print(f"violation: seed {run.seed}: no end after {seconds:.0f} s", flush=True)
        run.store.end()
        os._exit(1)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    return timer


def perform(arguments, store):
    """Performs a run, prints the report, and returns whether no invariant was violated."""
    print(f"to repeat it: --seconds {arguments.seconds:g} --seed {arguments.seed} --store {store}",
          flush=True)
    run = Run(arguments, store)
    timer = begin_deadline(run, arguments.seconds + 5 * PATIENCE)
    try:
        run.begin()
        run.run()
        run.settle()
        if arguments.tamper:
            run.tamper(arguments.tamper)
    finally:
        run.end()
        timer.cancel()
    judge = Judge(run, arguments)
    judge.check()
    judge.report(list(KINDS))
    if run.violations:
        print(f"the log of the service is kept in {run.store.directory}")
    else:
        run.store.remove()
    return not run.violations


def stores(name):
    """Returns the stores to test; without PostgreSQL only the file."""
    if name != "both":
        return [name]
    if any(os.access(f"{programs}/pg_ctl", os.X_OK) for programs in PLACES):
        return ["file", "postgresql"]
    print("skipped: there is no PostgreSQL 15", flush=True)
    return ["file"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--rate", type=float, default=15, help="events per second")
    parser.add_argument("--wait", type=float, default=1,
                        help="the longest wait of a caller in seconds; more for a debug build")
    parser.add_argument("--refusal", type=float, default=1,
                        help="the longest wait for a refusal in seconds while the store fails")
    parser.add_argument("--late", type=float, default=2,
                        help="the longest delay of a delivery to a working sink in seconds")
    parser.add_argument("--store", choices=["file", "postgresql", "both"], default="both")
    parser.add_argument("--program", default=f"{PROJECT}/.build/release/chimed")
    parser.add_argument("--tamper", choices=["lose", "delay", "double"],
                        help="change the last delivery, which must be found")
    arguments = parser.parse_args()
    # A stopped run ends its processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    results = [perform(arguments, store) for store in stores(arguments.store)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
