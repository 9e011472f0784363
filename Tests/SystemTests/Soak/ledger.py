"""A ledger of events: which were reported, acknowledged and delivered. It finds violations."""

import json


class Entry:
    """An event and its only notification.

    `at` is the notification's time, `send_count` how often the event was sent, `delivery` the
    delivery's id, `arrived_at` the instant of its first arrival, and `arrival_count` how often it
    arrived."""

    __slots__ = ("person", "at", "send_count", "acknowledged", "delivery", "arrived_at",
                 "arrival_count")

    def __init__(self, person, at):
        self.person, self.at = person, at
        self.send_count, self.acknowledged = 0, False
        self.delivery, self.arrived_at, self.arrival_count = None, None, 0


class Ledger:
    """The entries, by the events' numbers, and the violations.

    Event `e7` requests a notification with the title `e7`. No other notification is expected. All
    instants are of the monotonic clock, except `Entry.at`."""

    def __init__(self):
        self.entries, self.violations = [], []
        # The numbers of the events to send again: unanswered ones, and those refused with 503.
        self.unacknowledged = []
        # The number of events that were accepted without an answer; their first answer was
        # "duplicate".
        self.silently_accepted = 0
        self.cut_lines = 0

    # Sending

    def add_event(self, person, at):
        """Adds a new event, and returns its number."""
        self.entries.append(Entry(person, at))
        return len(self.entries) - 1

    def send(self, number):
        """Counts one sending of an event, and returns its entry."""
        self.entries[number].send_count += 1
        return self.entries[number]

    def mark_unacknowledged(self, number):
        if not self.entries[number].acknowledged:
            self.unacknowledged.append(number)

    # Answers and deliveries

    def record_answer(self, number, status, sent_at):
        """Records a node's answer to an event that was sent at the instant `sent_at`."""
        entry = self.entries[number]
        if status == "accepted":
            if entry.acknowledged:
                self.violate(f"e{number} was acknowledged, and then accepted as new")
            if entry.arrived_at is not None and entry.arrived_at < sent_at:
                self.violate(f"e{number} was delivered, and then accepted as new")
        elif status == "duplicate":
            if entry.send_count == 1:
                self.violate(f"e{number} was sent once, and was answered as a duplicate")
            self.silently_accepted += not entry.acknowledged
        else:
            self.violate(f"e{number} was answered {status}")
        entry.acknowledged = True

    def record_delivery(self, line, now):
        """Records a line that a sink has written. A line that is not JSON counts as cut off."""
        try:
            delivery = json.loads(line)
            title, person, identifier = (delivery[key] for key in ("title", "recipient", "id"))
        except (ValueError, KeyError):
            self.cut_lines += 1
            return
        entry = self.entry(title)
        if entry is None or not entry.send_count or entry.person != person:
            self.violate(f"not requested: {line!r}")
            return
        if entry.delivery not in (None, identifier):
            self.violate(f"{title} was delivered as {entry.delivery} and as {identifier}")
        if entry.arrived_at is None:
            entry.delivery, entry.arrived_at = identifier, now
        entry.arrival_count += 1

    def entry(self, title):
        """Returns the entry of the notification with a title; None if there is none."""
        number = title[1:]
        exists = title[:1] == "e" and number.isdigit() and int(number) < len(self.entries)
        return self.entries[int(number)] if exists else None

    def violate(self, text):
        self.violations.append(text)

    # Results

    def missing(self):
        """Returns the titles of the acknowledged events without a delivery."""
        return [f"e{number}" for number, entry in enumerate(self.entries)
                if entry.acknowledged and entry.arrival_count == 0]

    def repetition_count(self):
        """Returns the number of events that were delivered more than once."""
        return sum(entry.arrival_count > 1 for entry in self.entries)

    def acknowledged_titles(self):
        """Returns the titles of acknowledged events by person. The store must have them."""
        titles = {}
        for number, entry in enumerate(self.entries):
            if entry.acknowledged:
                titles.setdefault(entry.person, set()).add(f"e{number}")
        return titles

    def compare(self, person, expected, notifications):
        """Checks the notifications that the store has for a person.

        Each of the `expected` titles must be there once, accepted by the sink, and with the id of
        its delivery."""
        ids = {}
        for title, identifier, outcomes in notifications:
            if title in ids:
                self.violate(f"{title} is in the store as {ids[title]} and as {identifier}")
            ids[title] = identifier
            entry = self.entry(title)
            if entry and entry.delivery not in (None, identifier):
                self.violate(f"{title} was delivered as {entry.delivery} and is stored as "
                             f"{identifier}")
            if outcomes != ["accepted"]:
                self.violate(f"{title} has the outcomes {outcomes}")
        for title in sorted(expected - ids.keys()):
            self.violate(f"{title} of {person} was acknowledged and is not in the store")
