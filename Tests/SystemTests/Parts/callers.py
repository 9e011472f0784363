"""Callers that ask small questions, each with its own token and address, and the reporter of the
load. Each wait is recorded."""

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

QUESTIONS = ["pending", "preferences", "explain", "badge"]
CALLERS = 4
HERE = pathlib.Path(__file__).resolve().parent


class Wait:
    """One question, when it was asked, and how it was answered."""

    __slots__ = ("asked", "ended", "question", "status", "retry_after")

    def __init__(self, asked, question, status, retry_after):
        self.asked, self.ended = asked, time.monotonic()
        self.question, self.status, self.retry_after = question, status, retry_after

    @property
    def length(self):
        return self.ended - self.asked


class Caller:
    """A recipient that asks about itself a few times a second."""

    def __init__(self, service, number, waits):
        self.recipient, self.waits, self.port = f"caller{number}", waits, service.port
        self.address = f"127.0.0.{11 + number}"
        self.token = service.token(f"recipient:{self.recipient}")
        report = {"specversion": "1.0", "id": self.recipient, "source": "parts",
                  "subject": self.recipient, "type": "recipient.updated", "data": {"locale": "de"}}
        service.ask("POST", "/v1/events", [report])

    def run(self, is_over):
        turn = 0
        while not is_over.wait(0.25):
            self.waits.append(self.ask(QUESTIONS[turn % len(QUESTIONS)]))
            turn += 1

    def ask(self, question):
        path = f"/v1/recipients/{self.recipient}/{question}"
        if question == "explain":
            at = urllib.parse.quote(utc(time.time() + 60))
            path += f"?category=HOOK&at={at}"
        asked = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20,
                                                source_address=(self.address, 0))
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            reply = connection.getresponse()
            reply.read()
            return Wait(asked, question, reply.status, reply.headers["Retry-After"])
        except (OSError, http.client.HTTPException):
            return Wait(asked, question, 0, None)
        finally:
            connection.close()


class Reporter(Load):
    """Reports events of many people, whose notifications are due within seconds."""

    sizes = [2, 4, 8]

    def __init__(self, store, ledger, seed, rate):
        super().__init__(store, ledger, seed, rate, senders=1)
        self.waits, self.due = [], {}

    def event(self, number, entry):
        report = event(number, entry)
        sink = sink_of(number)
        report["data"] |= {"category": sink.upper(), "channels": [CHANNELS[sink]]}
        return report

    def send(self, name, numbers):
        asked = time.monotonic()
        try:
            return super().send(name, numbers)
        finally:
            self.waits.append(Wait(asked, "events", 200, None))

    def enter(self, numbers, items, asked):
        left = super().enter(numbers, items, asked)
        for number in numbers:
            if self.ledger.entries[number].acknowledged:
                self.due.setdefault(number, time.monotonic())
        return left

    def record(self, line):
        """Records a delivery that a webhook has received."""
        with self.lock:
            self.ledger.deliver(line, time.monotonic())


class Stalls:
    """The longest delays of a thread that only sleeps: waits that the machine caused."""

    def __init__(self):
        self.spans = []

    def run(self, is_over):
        while not is_over.is_set():
            before = time.monotonic()
            time.sleep(0.02)
            late = time.monotonic() - before - 0.02
            if late > 0.05:
                self.spans.append((before, late))

    def within(self, start, end):
        """Returns the seconds of stalls within a span."""
        return sum(late for at, late in self.spans if start - late <= at <= end)


class Hostile:
    """Hostile callers in a process of their own, so that they do not slow down this one."""

    # The maximum of a recipient's events that are accepted in an attack: those accepted at once
    # (rule H15), and some for the time of the attack.
    accepted_most = 610
    # The scopes of attacks that are not by a recipient.
    scopes = {"checks": "support", "stream": "support", "stopped": "support", "backup": "admin"}

    def __init__(self, service, kinds):
        """Creates a token for each of the attacks, each of another recipient."""
        self.service, self.process, self.counts = service, None, {}
        self.waiting = []
        for number, kind in enumerate(kinds):
            recipient = f"hostile{number}"
            token = service.token(self.scopes.get(kind, f"recipient:{recipient}"))
            self.waiting.append((kind, token, recipient))

    def begin(self, kind):
        """Begins the first of the attacks of a kind."""
        attack = next(attack for attack in self.waiting if attack[0] == kind)
        self.waiting.remove(attack)
        _, token, recipient = attack
        self.process = subprocess.Popen(
            ["nice", sys.executable, "-B", HERE / "hostile.py", kind, str(self.service.port), token,
             recipient], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.kind, self.starts = kind, self.service.starts

    def end(self):
        """Ends the hostile callers; returns the fault of the service that they found, or None."""
        try:
            report, error = self.process.communicate("", timeout=30)
            counts = json.loads(report)
        except (subprocess.TimeoutExpired, ValueError):
            self.process.kill()
            return f"the hostile callers have not ended well: {error[-300:]}"
        self.counts.setdefault(self.kind, collections.Counter()).update(counts)
        # The service counts events in memory, so each start begins a new count.
        lives = 1 + self.service.starts - self.starts
        if counts.get("accepted", 0) > lives * self.accepted_most:
            return f"{counts['accepted']} events of one recipient were accepted at once"
        if counts.get("500"):
            return f"{counts['500']} requests were answered 500"


def start(runners):
    """Starts a thread for each runner; returns an event that ends the threads."""
    is_over = threading.Event()
    threads = [threading.Thread(target=runner.run, args=(is_over,), daemon=True)
               for runner in runners]
    for thread in threads:
        thread.start()
    return is_over
