#!/usr/bin/env python3
"""Runs a service under a light load while parts of it fail and are healed, several at a time. The
parts are sinks, configuration files, the store, and hostile callers.

While a part fails, the status has to name it, and everything that does not depend on it has to
continue. After a part is healed, everything has to work again.

The seed determines the schedule, which is printed. A failure begins later than planned if an
earlier failure of the same track or sink is not over.
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
from fleet import PROGRAM_DIRECTORIES, PROJECT, wait_until
from judge import Judge
from ledger import Ledger
from schedule import FILE_STORE_KINDS, KINDS, SERVER_STORE_KINDS, plan_failures
from service import FAILING, FileStore, Receiver, ServerStore

# The limits in seconds: until the status names a failure, and until a healed part is well.
NAMING_LIMIT, RECOVERY_LIMIT = 5, 5
# The limit in seconds of each other wait: for the service, for a sink, and for deliveries.
TIMEOUT = 60


class Failure:
    """One failure of a part. Its instants are of the monotonic clock; None if not reached."""

    def __init__(self, plan, part):
        self.plan, self.part = plan, part
        self.started_at = self.broken_at = self.healed_at = self.well_at = None
        # In seconds; these times start again at 0 after another failure has obstructed the service.
        self.time_to_name = self.time_to_well = None

    def obstructs(self, instant):
        """Returns whether this failure keeps the service from writing or answering."""
        return (self.part.blocks_store or self.part.has_restart) \
            and self.is_effective_within(instant, instant)

    def restarts_service_within(self, start, end):
        """Returns whether this failure restarts the service within a span."""
        return self.part.has_restart and self.is_effective_within(start, end)

    def is_effective_within(self, start, end):
        last = self.well_at if self.part.blocks_store else self.broken_at
        return self.started_at <= end and (last is None or start <= last)


class Run:
    def __init__(self, arguments, store):
        self.seed, self.duration = arguments.seed, arguments.seconds
        self.random_source = random.Random(self.seed)
        self.ledger, self.failures = Ledger(), []
        self.receivers = {
            sink: Receiver(lambda line: self.reporter.record(line)) for sink in FAILING}
        kind = ServerStore if store == "postgresql" else FileStore
        self.store = kind(os.path.abspath(arguments.program), self.receivers)
        self.reporter = Reporter(self.store, self.ledger, self.seed, arguments.rate)
        self.stalls, self.waits, self.violations = Stalls(), [], []
        self.locks = {name: threading.Lock()
                      for name in [*FAILING, "configuration", "secrets", "store"]}
        self.started_at = time.monotonic()
        self.service = self.stop_event = None

    # Running the failures

    def plan(self):
        is_on_server = isinstance(self.store, ServerStore)
        excluded_kinds = FILE_STORE_KINDS if is_on_server else SERVER_STORE_KINDS
        if not self.store.has_disk:
            excluded_kinds = excluded_kinds | {"full disk"}
        self.plans = plan_failures(self.random_source, self.duration, excluded_kinds)
        for plan in self.plans:
            print("second {:5} for {:4} s: {} ({}, {})".format(
                plan.start, plan.duration, plan.kind, plan.target, plan.variant), flush=True)

    def begin(self):
        self.store.begin()
        self.plan()
        self.service = self.store.nodes["one"]
        if not wait_until(lambda: self.service.is_ready() and self.is_well(), TIMEOUT):
            raise SystemExit(f"error: the service does not start; see {self.store.directory}")
        self.hostile = Hostile(
            self.service, [plan.variant for plan in self.plans if plan.track == "callers"])
        callers = [Caller(self.service, number, self.waits) for number in range(CALLERS)]
        self.stop_event = start([*callers, self.stalls])
        self.reporter.start()

    def is_well(self):
        status = self.service.status()
        return "lanes" in status and status["storageFailure"] is None \
            and status["reloadFailure"] is None and not status["outdatedSinks"]

    def run(self):
        self.started_at = time.monotonic()
        threads = [threading.Thread(target=self.run_track, args=(track,), daemon=True)
                   for track in sorted({plan.track for plan in self.plans})]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run_track(self, track):
        for plan in [plan for plan in self.plans if plan.track == track]:
            time.sleep(max(0, self.started_at + plan.start - time.monotonic()))
            if time.monotonic() > self.started_at + self.duration:
                return
            try:
                self.run_plan(plan)
            except Exception as error:  # An exception in one track does not end the others.
                self.violate(time.monotonic(), plan, f"the test failed: {error!r}")

    def run_plan(self, plan):
        part = self.make_part(plan)
        with contextlib.ExitStack() as stack:
            for name in self.lock_names(plan):
                stack.enter_context(self.locks[name])
            if plan.target in FAILING and self.wait_until_well(plan.target) is None:
                return self.violate(
                    time.monotonic(), plan, "(c) the sink is not well before the failure")
            self.execute(Failure(plan, part))

    def wait_until_well(self, sink):
        """Waits until a sink has no retries: a delivery that fails twice is due again only after
        five minutes (rule D2). Returns None if that takes too long."""
        return self.watch(failures.SinkPart(self.service, sink, None).is_well, TIMEOUT)

    def lock_names(self, plan):
        """Returns the names of the locks that a failure needs: one for each thing that only one
        failure may break at a time. They are sorted, so all failures take locks in the same
        order."""
        names = {plan.target} & set(FAILING)
        if plan.kind in ("secret", "wrong secret", "catalog", "no secret"):
            names.add("configuration")
        if plan.kind in ("secret", "wrong secret", "no secret", "lock, restart"):
            names.add("secrets")
        # A delivery that is delayed by the store could meet the wrong secret at two attempts.
        if plan.kind == "wrong secret" or plan.track == "store":
            names.add("store")
        return sorted(names)

    def execute(self, failure):
        part, plan = failure.part, failure.plan
        failure.started_at = time.monotonic()
        self.failures.append(failure)
        part.fail()
        failure.broken_at = time.monotonic()
        failure.time_to_name = self.watch(part.is_named, NAMING_LIMIT, failure)
        if failure.time_to_name is None:
            self.violate(failure.broken_at, plan,
                         f"(b) the status does not name the part after {NAMING_LIMIT} s")
        time.sleep(max(0, failure.started_at + plan.duration - time.monotonic()))
        part.heal()
        failure.healed_at = time.monotonic()
        limit = part.allowance + RECOVERY_LIMIT
        failure.time_to_well = self.watch(part.is_well, limit, failure)
        failure.well_at = time.monotonic()
        if failure.time_to_well is None:
            self.violate(
                failure.healed_at, plan, f"(c) the part is not well {limit:.0f} s after healing")
        for fault in part.faults:
            self.violate(failure.started_at, plan, fault)

    def watch(self, condition, limit, failure=None):
        """Waits for a condition. Returns the seconds that this took; None if they exceed the limit.
        The seconds start again at zero after another failure has obstructed the service."""
        started_at = time.monotonic()
        while not condition():
            time.sleep(0.05)
            now = time.monotonic()
            if self.is_obstructed(now, excluded=failure):
                started_at = now
            elif now - started_at > limit:
                return None
        return time.monotonic() - started_at

    def is_obstructed(self, instant, excluded):
        return any(other.obstructs(instant) for other in self.failures if other is not excluded)

    def make_part(self, plan):
        arguments = (self.service, plan.target, plan.variant)
        if plan.kind in ("refuses", "hangs", "error 500", "error 410"):
            return failures.Refusal(self.receivers, *arguments)
        if plan.kind in SERVER_STORE_KINDS:
            return failures.Interruption(self.store, *arguments)
        if plan.kind.startswith("attack"):
            return failures.Attack(self.hostile, *arguments)
        parts = {"secret": failures.Secret, "wrong secret": failures.WrongSecret,
                 "catalog": failures.Catalog, "no secret": failures.MissingSecret,
                 "lock": failures.Lock, "lock, restart": failures.RestartedLock,
                 "full disk": failures.FullDisk}
        return parts[plan.kind](*arguments)

    def violate(self, instant, plan, text):
        """Records a violation at an instant. `plan` is the plan of the failure that may have caused
        it; None if there is none."""
        part = f"{plan.kind} ({plan.target}, {plan.variant})" if plan else "no part"
        self.violations.append(
            f"seed {self.seed}, second {instant - self.started_at:.1f}, {part}: {text}")

    # Ending the run

    def finish_load(self):
        """Ends the load, and waits until all its events are acknowledged and delivered."""
        self.reporter.end_sending()
        if not self.reporter.flush(self.random_source, TIMEOUT):
            self.violate(time.monotonic(), None, "(d) some events were never acknowledged")
        wait_until(lambda: not self.ledger.missing(), TIMEOUT, pause=0.2)
        self.reporter.end()
        self.stop_event.set()
        if not wait_until(self.is_well, RECOVERY_LIMIT):
            self.violate(
                time.monotonic(), None, f"(c) the service is not well at the end: {self.faults()}")

    def faults(self):
        status = self.service.status()
        return [status.get(key)
                for key in ("problem", "storageFailure", "reloadFailure", "outdatedSinks")]

    def tamper(self, how):
        """Changes the record of the last delivery: it is lost, late, or sent under a second id."""
        number = next(number for number, entry in reversed(list(enumerate(self.ledger.entries)))
                      if entry.acknowledged and entry.arrival_count)
        entry = self.ledger.entries[number]
        if how == "lose":
            entry.arrival_count = 0
        elif how == "delay":
            entry.arrived_at += 3_600
        else:
            line = {"title": f"e{number}", "recipient": entry.person, "id": "another"}
            self.ledger.record_delivery(json.dumps(line), time.monotonic())

    def end(self):
        """Ends every process and thread, even if the run has failed."""
        if self.stop_event:
            self.stop_event.set()
        self.reporter.stop_sending.set()
        self.reporter.stop_reading.set()
        for receiver in self.receivers.values():
            receiver.release.set()
        if self.service and self.service.process:
            self.stop_service()
        self.store.end()

    def stop_service(self):
        if self.service.process.poll() is not None:
            return self.violate(time.monotonic(), None, "the service has ended by itself")
        with contextlib.suppress(Exception):
            if self.service.stop(20) != 0:
                self.violate(time.monotonic(), None, "the service ended with an error")


def start_timeout(run, seconds):
    """Starts and returns a timer that kills the service and ends the program if a run hangs."""
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
    timer = start_timeout(run, arguments.seconds + 5 * TIMEOUT)
    try:
        run.begin()
        run.run()
        run.finish_load()
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
    """Returns the stores to test; "both" means only the file if there is no PostgreSQL."""
    if name != "both":
        return [name]
    if any(os.access(f"{directory}/pg_ctl", os.X_OK) for directory in PROGRAM_DIRECTORIES):
        return ["file", "postgresql"]
    print("skipped: there is no PostgreSQL 15", flush=True)
    return ["file"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--rate", type=float, default=15, help="events per second")
    parser.add_argument("--wait", type=float, default=1,
                        help="limit in seconds for an answer; raise it for a debug build")
    parser.add_argument("--refusal", type=float, default=1,
                        help="limit in seconds for an answer while the store fails")
    parser.add_argument("--late", type=float, default=2,
                        help="limit in seconds for the delay of a delivery to a working sink")
    parser.add_argument("--store", choices=["file", "postgresql", "both"], default="both")
    parser.add_argument("--program", default=f"{PROJECT}/.build/release/chimed")
    parser.add_argument("--tamper", choices=["lose", "delay", "double"],
                        help="change the last delivery; the test has to find that")
    arguments = parser.parse_args()
    # A stopped run ends its processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    results = [perform(arguments, store) for store in stores(arguments.store)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
