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
    """Threads that send batches of events through random nodes, and a thread that reads the sinks'
    files. `rate` is the number of events per second of all threads."""

    sizes = [1, 10, 50, 200]

    def __init__(self, fleet, ledger, seed, rate, senders=3):
        self.fleet, self.ledger, self.rate = fleet, ledger, rate / senders
        self.lock = threading.Lock()
        self.stop_sending = threading.Event()
        # How far each node's file was read, in bytes.
        self.offsets = {}
        self.refusals, self.longest_wait = 0, 0
        self.senders = [threading.Thread(target=self.send_all, args=(random.Random(f"{seed} {n}"),))
                        for n in range(senders)]
        self.reader = threading.Thread(target=self.read_all)
        self.stop_reading = threading.Event()

    def start(self):
        for thread in self.senders + [self.reader]:
            thread.start()

    def end_sending(self):
        self.stop_sending.set()
        join(self.senders)

    def end(self):
        self.end_sending()
        self.stop_reading.set()
        join([self.reader])

    # Sending

    def send_all(self, random_source):
        due = time.monotonic()
        while not self.stop_sending.is_set():
            count = random_source.choice(self.sizes)
            node = random_source.choice(list(self.fleet.nodes))
            self.send(node, self.take_numbers(random_source, count))
            # A thread that has waited long for an answer catches up on at most one second of load.
            due = max(due + count / self.rate, time.monotonic() - 1)
            self.stop_sending.wait(max(0, due - time.monotonic()))

    def take_numbers(self, random_source, count):
        """Returns the numbers of events to send. Each is, with equal probability, a new event or
        one that is to be sent again, which is removed from the ledger's list."""
        with self.lock:
            numbers = self.ledger.unacknowledged
            return [numbers.pop(random_source.randrange(len(numbers)))
                    if numbers and random_source.random() < 0.5
                    else self.add_event(random_source)
                    for _ in range(count)]

    def add_event(self, random_source):
        at = utc(time.time() + random_source.choice([-1, 0, 1, 3]))
        return self.ledger.add_event(f"p{random_source.randrange(PEOPLE)}", at)

    def event(self, number, entry):
        return event(number, entry)

    def send(self, name, numbers):
        """Sends events through a node, records the answers, and returns the numbers of the events
        that were not acknowledged."""
        with self.lock:
            batch = [self.event(number, self.ledger.send(number)) for number in numbers]
        sent_at = time.monotonic()
        try:
            status, answer = self.fleet.nodes[name].ask("POST", "/v1/events", batch)
            items = answer["items"] if status in (200, 202) else []
        except Unavailable:
            status, items = 0, []
        with self.lock:
            self.longest_wait = max(self.longest_wait, time.monotonic() - sent_at)
            return self.record_answers(
                numbers, items or [{"status": "refused"}] * len(numbers), sent_at)

    def record_answers(self, numbers, items, sent_at):
        """Records the answers to a batch; returns the numbers of events to send again."""
        unacknowledged = []
        for number, item in zip(numbers, items, strict=True):
            if item["status"] != "refused":
                self.ledger.record_answer(number, item["status"], sent_at)
            elif item.get("problem", {}).get("status", 503) != 503:
                self.ledger.violate(f"e{number} was refused: {item['problem']}")
            else:
                unacknowledged.append(number)
                self.refusals += 1
                self.ledger.mark_unacknowledged(number)
        return unacknowledged

    def flush(self, random_source, timeout):
        """Sends unacknowledged events again until none is left. Returns whether that succeeded
        within the timeout in seconds."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with self.lock:
                numbers, self.ledger.unacknowledged = list(set(self.ledger.unacknowledged)), []
            if not numbers:
                return True
            for first in range(0, len(numbers), 500):
                node = random_source.choice(list(self.fleet.nodes))
                self.send(node, numbers[first:first + 500])
        return False

    # Reading

    def read_all(self):
        while not self.stop_reading.wait(0.05):
            self.read()
        self.read()

    def read(self):
        for node in self.fleet.nodes.values():
            if not node.deliveries.exists():
                continue
            with open(node.deliveries, "rb") as file:
                file.seek(self.offsets.get(node.name, 0))
                lines, newline, _ = file.read().rpartition(b"\n")
            self.offsets[node.name] = self.offsets.get(node.name, 0) + len(lines + newline)
            with self.lock:
                for line in lines.splitlines():
                    self.ledger.record_delivery(line, time.monotonic())


def join(threads):
    """Waits for the end of those threads that were started."""
    for thread in threads:
        if thread.is_alive():
            thread.join()


def event(number, entry):
    """Returns the event of a ledger's entry, as its JSON object."""
    data = {"category": "WORK", "title": f"e{number}", "body": "Said once", "at": entry.at}
    return {"specversion": "1.0", "id": f"e{number}", "source": "soak", "subject": entry.person,
            "type": "notification.requested", "data": data}
