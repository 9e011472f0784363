"""Checks the invariants after a run, and prints a table of the failures.

The text of a violation begins with the letter of its invariant:
(a) Callers and sinks that do not depend on a failing part are not delayed.
(b) The status names the failing part.
(c) Soon after a part is healed, everything is well, and waiting deliveries arrive.
(d) No acknowledged event is lost, and a delivery is repeated only after a restart or the end of a
    session with PostgreSQL.
"""

import datetime
import time

from schedule import SERVER_STORE_KINDS
from service import sink_of

# The seconds after a part is healed within which waiting deliveries have to arrive.
ARRIVAL_LIMIT = 5


class Judge:
    def __init__(self, run, limits):
        self.run = run
        self.wait_limit, self.refusal_limit = limits.wait, limits.refusal
        self.delivery_limit = limits.late
        self.failures = [failure for failure in run.failures if failure.healed_at is not None]
        # The difference between wall time and monotonic time, in seconds.
        self.offset = time.time() - time.monotonic()

    def check(self):
        self.check_waits()
        self.check_deliveries()
        for text in self.run.ledger.violations:
            self.run.violate(time.monotonic(), None, f"(d) {text}")
        for title in self.run.ledger.missing():
            number = int(title[1:])
            text = f"(d) {title} was acknowledged and never arrived"
            self.violate(self.due(number), text, sink_of(number))

    def violate(self, instant, text, track_or_sink="callers"):
        """Records a violation with the parts that fail at an instant. Parts of the given track or
        sink come first."""
        failures = sorted(
            self.active_failures(instant, instant),
            key=lambda failure: track_or_sink not in (failure.plan.track, failure.plan.target))
        self.run.violate(instant, failures[0].plan if failures else None,
                         text + self.other_parts(failures[1:]))

    def other_parts(self, failures):
        names = ", ".join(f"{failure.plan.kind} ({failure.plan.target})" for failure in failures)
        return f"; other failing parts: {names}" if names else ""

    def active_failures(self, start, end):
        """Returns the failures whose part was not well within a span."""
        return [failure for failure in self.failures
                if failure.started_at <= end and start <= (failure.well_at or failure.healed_at)]

    # Callers

    def check_waits(self):
        for wait in self.run.waits + self.run.reporter.waits:
            active_failures = self.active_failures(wait.start, wait.end)
            if self.is_during_restart(wait):
                continue
            length = self.length(wait)
            is_blocked = any(failure.part.blocks_store for failure in active_failures)
            if length > (self.refusal_limit if is_blocked else self.wait_limit):
                self.violate(wait.start, f"(a) {wait.request} waited {length:.2f} s")
            if not self.is_valid(wait, active_failures):
                self.violate(wait.start, f"(a) {wait.request} was answered {wait.status}, with "
                             f"Retry-After {wait.retry_after}")

    def is_during_restart(self, wait):
        return any(failure.restarts_service_within(wait.start, wait.end)
                   for failure in self.failures)

    def length(self, wait):
        """Returns the length of a wait without the stalls of the machine, in seconds."""
        return wait.length - self.run.stalls.within(wait.start, wait.end)

    def is_valid(self, wait, active_failures):
        """Returns whether the answer is a success, or a permitted refusal by a failing store."""
        if wait.status == 200:
            return True
        is_blocked = any(failure.part.blocks_store for failure in active_failures)
        return is_blocked and (wait.status == 507 or wait.status == 503 and wait.retry_after)

    # Deliveries

    def check_deliveries(self):
        for number, entry in enumerate(self.run.ledger.entries):
            if not entry.acknowledged or entry.arrived_at is None:
                continue
            due = self.due(number)
            deadline = self.deadline(due, sink_of(number))
            if entry.arrived_at > deadline + self.run.stalls.within(due, entry.arrived_at):
                rule = "(c)" if deadline > due + self.delivery_limit else "(a)"
                self.violate(due, f"{rule} e{number} of {sink_of(number)} arrived after "
                             f"{entry.arrived_at - due:.1f} s; the limit is {deadline - due:.1f} s",
                             sink_of(number))
            if entry.arrival_count > 1 and not self.may_repeat(due, entry.arrived_at):
                self.violate(
                    due, f"(d) e{number} of {sink_of(number)} arrived {entry.arrival_count} times",
                    sink_of(number))

    def due(self, number):
        """Returns the instant from which an event's notification is both due and acknowledged."""
        entry = self.run.ledger.entries[number]
        at = datetime.datetime.fromisoformat(entry.at).timestamp() - self.offset
        return max(at, self.run.reporter.acknowledged_at.get(number, at))

    def deadline(self, due, sink):
        """Returns the instant at which a notification has to have arrived.

        Failures that delay its delivery extend the deadline: until the last such part is healed,
        plus the arrival limit and the longest delay that a rule allows. A later deadline may
        include further failures, so this is repeated until none is added.
        """
        deadline, causes = due + self.delivery_limit, []
        while True:
            count = len(causes)
            causes = [failure for failure in self.failures
                      if self.delays(failure, sink) and failure.started_at <= deadline
                      and due <= self.end(failure) + failure.part.delay + ARRIVAL_LIMIT]
            if len(causes) == count:
                return deadline
            deadline = max(deadline, max(map(self.end, causes)) + ARRIVAL_LIMIT
                           + max(failure.part.delay for failure in causes))

    def delays(self, failure, sink):
        """Returns whether a failure may delay the deliveries of a sink."""
        part = failure.part
        return part.sink == sink or part.has_restart or part.blocks_store

    def end(self, failure):
        """Returns the instant at which delayed deliveries can be made again: when the part is
        healed, or at once after a restart that stops no sink."""
        part = failure.part
        return failure.healed_at if part.sink or part.blocks_store else failure.broken_at

    def may_repeat(self, start, end):
        """Returns whether a sink's answer may have been lost with the process or with a session."""
        return any(failure.part.has_restart or failure.plan.kind in SERVER_STORE_KINDS
                   for failure in self.active_failures(start - ARRIVAL_LIMIT, end + ARRIVAL_LIMIT))

    # The report

    def report(self, kinds):
        entries = self.run.ledger.entries
        print(f"events acknowledged: {sum(entry.acknowledged for entry in entries)} of "
              f"{len(entries)}; refused and sent again: {self.run.reporter.refusals}; "
              f"requests: {len(self.run.waits)}")
        print(f"lost: {len(self.run.ledger.missing())}; repeated under the same id: "
              f"{self.run.ledger.repetition_count()}; longest stall of the machine: "
              f"{max((length for _, length in self.run.stalls.spans), default=0):.2f} s")
        print(f"{'part':22} {'times':>5} {'named':>7} {'well':>7} {'wait':>7} {'report':>7}")
        for kind in kinds:
            self.print_row(
                kind, [failure for failure in self.failures if failure.plan.kind == kind])
        waits = [wait for wait in self.run.waits if not self.active_failures(wait.start, wait.end)]
        print(f"{'no part':22} {'':5} {'':7} {'':7} {longest(map(self.length, waits)):>7}")
        for kind, counts in self.run.hostile.counts.items():
            print(f"hostile callers, {kind}:", ", ".join(
                f"{count} x {name}" for name, count in sorted(counts.items())))
        for violation in self.run.violations[:30]:
            print("violation:", violation)
        print(f"violations: {len(self.run.violations)}")

    def print_row(self, kind, failures):
        if not failures:
            return
        attacks = kind.startswith("attack")
        named = longest(failure.time_to_name for failure in failures)
        well = longest(failure.time_to_well for failure in failures)
        print(f"{kind:22} {len(failures):5} {'-' if attacks else named:>7} {well:>7} "
              f"{self.longest_wait(self.run.waits, failures):>7} "
              f"{self.longest_wait(self.run.reporter.waits, failures):>7}")

    def longest_wait(self, waits, failures):
        """Returns the longest wait during the failures, without waits during restarts."""
        return longest(
            self.length(wait) for wait in waits
            if not self.is_during_restart(wait)
            and any(failure in failures for failure in self.active_failures(wait.start, wait.end)))


def longest(spans):
    """Returns the longest span in seconds; "late" if one exceeded its limit, "-" without spans."""
    spans = list(spans)
    if None in spans:
        return "late"
    return f"{max(spans):.2f}" if spans else "-"
