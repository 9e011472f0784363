"""Sends events to a fleet from many threads, and records the deliveries in a ledger."""

import datetime
import random
import threading
import time

from fleet import Unavailable

PEOPLE = 500


def utc(seconds):
    instant = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Load:
    """Threads that send batches through random nodes, and one that reads the sinks' files."""

    sizes = [1, 10, 50, 200]

    def __init__(self, fleet, ledger, seed, rate, senders=3):
        self.fleet, self.ledger, self.rate = fleet, ledger, rate / senders
        self.lock = threading.Lock()
        self.is_over = threading.Event()
        self.offsets = {}
        self.refusals, self.longest = 0, 0
        self.senders = [threading.Thread(target=self.send_all, args=(random.Random(f"{seed} {n}"),))
                        for n in range(senders)]
        self.reader = threading.Thread(target=self.read_all)
        self.is_read = threading.Event()

    def start(self):
        for thread in self.senders + [self.reader]:
            thread.start()

    def end_sending(self):
        self.is_over.set()
        join(self.senders)

    def end(self):
        self.end_sending()
        self.is_read.set()
        join([self.reader])

    # Sending

    def send_all(self, chance):
        due = time.monotonic()
        while not self.is_over.is_set():
            count = chance.choice(self.sizes)
            self.send(chance.choice(list(self.fleet.nodes)), self.some(chance, count))
            # A thread that is late after a wait does not send a flood to catch up.
            due = max(due + count / self.rate, time.monotonic() - 1)
            self.is_over.wait(max(0, due - time.monotonic()))

    def some(self, chance, count):
        """Returns numbers to send; open events are as likely as new ones."""
        with self.lock:
            return [self.ledger.open.pop(chance.randrange(len(self.ledger.open)))
                    if self.ledger.open and chance.random() < 0.5 else self.compose(chance)
                    for _ in range(count)]

    def compose(self, chance):
        at = utc(time.time() + chance.choice([-1, 0, 1, 3]))
        return self.ledger.compose(f"p{chance.randrange(PEOPLE)}", at)

    def event(self, number, entry):
        return event(number, entry)

    def send(self, name, numbers):
        """Sends events through a node; records which were not acknowledged."""
        with self.lock:
            batch = [self.event(number, self.ledger.send(number)) for number in numbers]
        asked = time.monotonic()
        try:
            status, answer = self.fleet.nodes[name].ask("POST", "/v1/events", batch)
            items = answer["items"] if status in (200, 202) else []
        except Unavailable:
            status, items = 0, []
        with self.lock:
            self.longest = max(self.longest, time.monotonic() - asked)
            return self.enter(numbers, items or [{"status": "refused"}] * len(numbers), asked)

    def enter(self, numbers, items, asked):
        left = []
        for number, item in zip(numbers, items, strict=True):
            if item["status"] != "refused":
                self.ledger.answer(number, item["status"], asked)
            elif item.get("problem", {}).get("status", 503) != 503:
                self.ledger.violate(f"e{number} was refused: {item['problem']}")
            else:
                left.append(number)
                self.refusals += 1
                self.ledger.leave_open(number)
        return left

    def flush(self, chance, timeout):
        """Repeats open events until none is left; returns whether that succeeded."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with self.lock:
                numbers, self.ledger.open = list(set(self.ledger.open)), []
            if not numbers:
                return True
            for first in range(0, len(numbers), 500):
                self.send(chance.choice(list(self.fleet.nodes)), numbers[first:first + 500])
        return False

    # Reading

    def read_all(self):
        while not self.is_read.wait(0.05):
            self.read()
        self.read()

    def read(self):
        for node in self.fleet.nodes.values():
            if not node.deliveries.exists():
                continue
            with open(node.deliveries, "rb") as file:
                file.seek(self.offsets.get(node.name, 0))
                whole, end, _ = file.read().rpartition(b"\n")
            self.offsets[node.name] = self.offsets.get(node.name, 0) + len(whole + end)
            with self.lock:
                for line in whole.splitlines():
                    self.ledger.deliver(line, time.monotonic())


def join(threads):
    """Joins the threads that were started."""
    for thread in threads:
        if thread.is_alive():
            thread.join()


def event(number, entry):
    data = {"category": "WORK", "title": f"e{number}", "body": "Said once", "at": entry.at}
    return {"specversion": "1.0", "id": f"e{number}", "source": "soak", "subject": entry.person,
            "type": "notification.requested", "data": data}
