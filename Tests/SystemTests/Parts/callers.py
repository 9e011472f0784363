"""The clients of a run: callers that send small requests, each with its own token and address; a
reporter of events; and hostile callers. The waits of callers and reporter are recorded."""

import collections
import http.client
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse

from load import Load, event, utc
from service import CHANNELS, sink_of

REQUESTS = ["pending", "preferences", "explain", "badge"]
CALLERS = 4
HERE = pathlib.Path(__file__).resolve().parent


class Wait:
    """The wait for the answer to one request, which ends when this object is created."""

    __slots__ = ("start", "end", "request", "status", "retry_after")

    def __init__(self, start, request, status, retry_after):
        self.start, self.end = start, time.monotonic()
        self.request, self.status, self.retry_after = request, status, retry_after

    @property
    def length(self):
        return self.end - self.start


class Caller:
    """A recipient that requests its own data a few times a second."""

    def __init__(self, service, number, waits):
        self.recipient, self.waits, self.port = f"caller{number}", waits, service.port
        self.address = f"127.0.0.{11 + number}"
        self.token = service.token(f"recipient:{self.recipient}")
        report = {"specversion": "1.0", "id": self.recipient, "source": "parts",
                  "subject": self.recipient, "type": "recipient.updated", "data": {"locale": "de"}}
        service.ask("POST", "/v1/events", [report])

    def run(self, stop_event):
        count = 0
        while not stop_event.wait(0.25):
            self.waits.append(self.send(REQUESTS[count % len(REQUESTS)]))
            count += 1

    def send(self, request):
        path = f"/v1/recipients/{self.recipient}/{request}"
        if request == "explain":
            at = urllib.parse.quote(utc(time.time() + 60))
            path += f"?category=HOOK&at={at}"
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20,
                                                source_address=(self.address, 0))
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            reply = connection.getresponse()
            reply.read()
            return Wait(start, request, reply.status, reply.headers["Retry-After"])
        except (OSError, http.client.HTTPException):
            return Wait(start, request, 0, None)
        finally:
            connection.close()


class Reporter(Load):
    """Reports events of many people, whose notifications are due within seconds."""

    sizes = [2, 4, 8]

    def __init__(self, store, ledger, seed, rate):
        super().__init__(store, ledger, seed, rate, senders=1)
        self.waits = []
        # The instants at which events were acknowledged, by their number.
        self.acknowledged_at = {}

    def event(self, number, entry):
        report = event(number, entry)
        sink = sink_of(number)
        report["data"] |= {"category": sink.upper(), "channels": [CHANNELS[sink]]}
        return report

    def send(self, name, numbers):
        start = time.monotonic()
        try:
            return super().send(name, numbers)
        finally:
            # `Load` evaluates the status, so only the length of this wait matters.
            self.waits.append(Wait(start, "events", 200, None))

    def record_answers(self, numbers, items, sent_at):
        unacknowledged = super().record_answers(numbers, items, sent_at)
        for number in numbers:
            if self.ledger.entries[number].acknowledged:
                self.acknowledged_at.setdefault(number, time.monotonic())
        return unacknowledged

    def record(self, line):
        """Records a delivery that a webhook has received."""
        with self.lock:
            self.ledger.record_delivery(line, time.monotonic())


class Stalls:
    """Stalls of the machine: the delays of a thread that only sleeps, if longer than 50 ms."""

    def __init__(self):
        # The start and the length of each stall, in seconds.
        self.spans = []

    def run(self, stop_event):
        while not stop_event.is_set():
            start = time.monotonic()
            time.sleep(0.02)
            length = time.monotonic() - start - 0.02
            if length > 0.05:
                self.spans.append((start, length))

    def within(self, start, end):
        """Returns the sum in seconds of the stalls that overlap a span."""
        return sum(length for at, length in self.spans if start - length <= at <= end)


class Hostile:
    """Hostile callers in a process of their own, so that they do not slow down this one."""

    # The greatest number of a recipient's events that may be accepted during an attack: those
    # accepted at once (rule H15), and a few that become permitted during the attack.
    accepted_max = 610
    # The scopes by attack; an attack that is not listed has a recipient's token.
    scopes = {"checks": "support", "stream": "support", "stopped": "support", "backup": "admin"}

    def __init__(self, service, kinds):
        """Creates a recipient and a token for each attack."""
        self.service, self.process, self.counts = service, None, {}
        self.planned = []
        for number, kind in enumerate(kinds):
            recipient = f"hostile{number}"
            token = service.token(self.scopes.get(kind, f"recipient:{recipient}"))
            self.planned.append((kind, token, recipient))

    def begin(self, kind):
        """Begins the next planned attack of a kind."""
        attack = next(attack for attack in self.planned if attack[0] == kind)
        self.planned.remove(attack)
        _, token, recipient = attack
        self.process = subprocess.Popen(
            ["nice", sys.executable, "-B", HERE / "hostile.py", kind, str(self.service.port), token,
             recipient], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.kind, self.starts = kind, self.service.starts

    def end(self):
        """Ends the attack; returns the error of the service or of the attack, or None."""
        error = "they did not end in time"
        try:
            report, error = self.process.communicate("", timeout=30)
            counts = json.loads(report)
        except (subprocess.TimeoutExpired, ValueError):
            self.process.kill()
            return f"the hostile callers have failed: {error[-300:]}"
        self.counts.setdefault(self.kind, collections.Counter()).update(counts)
        # The service counts events in memory, so each start begins a new count.
        count_periods = 1 + self.service.starts - self.starts
        if counts.get("accepted", 0) > count_periods * self.accepted_max:
            return f"{counts['accepted']} events of one recipient were accepted at once"
        if counts.get("500"):
            return f"{counts['500']} requests were answered 500"


def start(runners):
    """Starts a thread for each runner; returns an event that ends the threads."""
    stop_event = threading.Event()
    threads = [threading.Thread(target=runner.run, args=(stop_event,), daemon=True)
               for runner in runners]
    for thread in threads:
        thread.start()
    return stop_event
