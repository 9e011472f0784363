"""Checks the invariants after a run, and prints the table.

Violations of an invariant begin with its letter: (a) callers and sinks that do not depend on a
failing part are not delayed; (b) the status names the part; (c) everything is well soon after
healing, and waiting deliveries arrive; (d) no acknowledged event is lost, and a delivery is
repeated only after a restart or the end of a session.
"""

import datetime
import time

from schedule import ON_A_SERVER
from service import sink_of

# The seconds after healing within which waiting deliveries arrive.
WELL = 5


class Judge:
    def __init__(self, run, bounds):
        self.run, self.wait, self.refusal, self.late = run, bounds.wait, bounds.refusal, bounds.late
        self.failures = [failure for failure in run.failures if failure.healed is not None]
        # Wall time minus monotonic time.
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

    def violate(self, at, text, suspect="callers"):
        """Names the parts that fail at the time, those of the suspect track or sink first."""
        active = self.active(at, at)
        active.sort(key=lambda failure: suspect not in (failure.plan.track, failure.plan.target))
        self.run.violate(at, active[0].plan if active else None, text + self.others(active[1:]))

    def others(self, failures):
        names = ", ".join(f"{failure.plan.kind} ({failure.plan.target})" for failure in failures)
        return f"; beside {names}" if names else ""

    def active(self, start, end):
        return [failure for failure in self.failures
                if failure.began <= end and start <= (failure.well or failure.healed)]

    # Callers

    def check_waits(self):
        for wait in self.run.waits + self.run.reporter.waits:
            active = self.active(wait.asked, wait.ended)
            if self.is_absent(wait):
                continue
            length = self.length(wait)
            is_blocked = any(failure.part.blocks_store for failure in active)
            if length > (self.refusal if is_blocked else self.wait):
                self.violate(wait.asked, f"(a) {wait.question} waited {length:.2f} s")
            if not self.is_right(wait, active):
                self.violate(wait.asked, f"(a) {wait.question} was answered {wait.status}, with "
                             f"Retry-After {wait.retry_after}")

    def is_absent(self, wait):
        return any(failure.is_absence(wait.asked, wait.ended) for failure in self.failures)

    def length(self, wait):
        """Returns the wait without the machine's own stalls."""
        return wait.length - self.run.stalls.within(wait.asked, wait.ended)

    def is_right(self, wait, active):
        if wait.status == 200:
            return True
        is_blocked = any(failure.part.blocks_store for failure in active)
        return is_blocked and (wait.status == 507 or wait.status == 503 and wait.retry_after)

    # Deliveries

    def check_deliveries(self):
        for number, entry in enumerate(self.run.ledger.entries):
            if not entry.acknowledged or entry.seen is None:
                continue
            base = self.due(number)
            deadline = self.deadline(base, sink_of(number))
            if entry.seen > deadline + self.run.stalls.within(base, entry.seen):
                rule = "(c)" if deadline > base + self.late else "(a)"
                self.violate(base, f"{rule} e{number} of {sink_of(number)} arrived after "
                             f"{entry.seen - base:.1f} s instead of {deadline - base:.1f} s",
                             sink_of(number))
            if entry.times > 1 and not self.may_repeat(base, entry.seen):
                self.violate(
                    base, f"(d) e{number} of {sink_of(number)} arrived {entry.times} times",
                    sink_of(number))

    def due(self, number):
        """Returns when an event was due and acknowledged."""
        entry = self.run.ledger.entries[number]
        at = datetime.datetime.fromisoformat(entry.at).timestamp() - self.offset
        return max(at, self.run.reporter.due.get(number, at))

    def deadline(self, base, sink):
        """Returns when a notification has to arrive: soon, or after the healing of the last part
        that its delivery depends on, and the longest pause that a rule allows."""
        limit, met = base + self.late, []
        while True:
            before, met = met, [failure for failure in self.failures
                                if self.concerns(failure, sink) and failure.began <= limit
                                and base <= self.end(failure) + failure.part.delay + WELL]
            if len(met) == len(before):
                return limit
            limit = max(limit, max(map(self.end, met)) + WELL
                        + max(failure.part.delay for failure in met))

    def concerns(self, failure, sink):
        part = failure.part
        return part.sink == sink or part.has_restart or part.blocks_store

    def end(self, failure):
        """Returns when stopped deliveries could be made again; other sinks deliver before that."""
        part = failure.part
        return failure.healed if part.sink or part.blocks_store else failure.failed

    def may_repeat(self, start, end):
        """Returns whether the answer of a sink may have been lost with the process or a session."""
        return any(failure.part.has_restart or failure.plan.kind in ON_A_SERVER
                   for failure in self.active(start - WELL, end + WELL))

    # The report

    def report(self, kinds):
        entries = self.run.ledger.entries
        print(f"events acknowledged: {sum(entry.acknowledged for entry in entries)} of "
              f"{len(entries)}; refused and sent again: {self.run.reporter.refusals}; "
              f"questions: {len(self.run.waits)}")
        print(f"lost: {len(self.run.ledger.missing())}; repeated under the same id: "
              f"{self.run.ledger.repeated()}; longest stall of the machine: "
              f"{max((late for _, late in self.run.stalls.spans), default=0):.2f} s")
        print(f"{'part':22} {'times':>5} {'named':>7} {'well':>7} {'wait':>7} {'report':>7}")
        for kind in kinds:
            self.print_row(
                kind, [failure for failure in self.failures if failure.plan.kind == kind])
        quiet = [wait for wait in self.run.waits if not self.active(wait.asked, wait.ended)]
        print(f"{'no part':22} {'':5} {'':7} {'':7} {longest(map(self.length, quiet)):>7}")
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
        """Returns the longest wait during the failures, except during restarts."""
        return longest(
            self.length(wait) for wait in waits
            if not self.is_absent(wait)
            and any(failure in failures for failure in self.active(wait.asked, wait.ended)))


def longest(spans):
    """Returns the longest of spans in seconds; "late" if one exceeded its bound."""
    spans = list(spans)
    if None in spans:
        return "late"
    return f"{max(spans):.2f}" if spans else "-"
