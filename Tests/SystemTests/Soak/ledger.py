"""A ledger of events: which were reported, acknowledged and delivered. It finds violations."""

import json


class Entry:
    """An event and its only notification.

    `at` is the notification's time, `sent` how often the event was sent, `delivery` the delivery's
    id, `seen` the instant of its first arrival, and `times` how often it arrived."""

    __slots__ = ("person", "at", "sent", "acknowledged", "delivery", "seen", "times")

    def __init__(self, person, at):
        self.person, self.at = person, at
        self.sent, self.acknowledged = 0, False
        self.delivery, self.seen, self.times = None, None, 0


class Ledger:
    """The entries, by the events' numbers, and the violations.

    Event `e7` requests a notification with the title `e7`. No other notification is expected. All
    instants are of the monotonic clock, except `Entry.at`."""

    def __init__(self):
        self.entries, self.violations = [], []
        # The numbers of the events to send again: unanswered ones, and those refused with 503.
        self.open = []
        # The number of events whose acceptance got lost: a repetition was the first answer.
        self.silently_accepted = 0
        self.cut_lines = 0

    # Sending

    def compose(self, person, at):
        self.entries.append(Entry(person, at))
        return len(self.entries) - 1

    def send(self, number):
        self.entries[number].sent += 1
        return self.entries[number]

    def leave_open(self, number):
        if not self.entries[number].acknowledged:
            self.open.append(number)

    # Answers and deliveries

    def answer(self, number, status, sent_at):
        """Records a node's answer to an event that was sent at the instant `sent_at`."""
        entry = self.entries[number]
        if status == "accepted":
            if entry.acknowledged:
                self.violate(f"e{number} was acknowledged, and then accepted as new")
            if entry.seen is not None and entry.seen < sent_at:
                self.violate(f"e{number} was delivered, and then accepted as new")
        elif status == "duplicate":
            if entry.sent == 1:
                self.violate(f"e{number} was sent once, and was answered as a duplicate")
            self.silently_accepted += not entry.acknowledged
        else:
            self.violate(f"e{number} was answered {status}")
        entry.acknowledged = True

    def deliver(self, line, now):
        """Records a line that a sink has written. A line that is not JSON counts as cut off."""
        try:
            delivery = json.loads(line)
            title, person, identifier = (delivery[key] for key in ("title", "recipient", "id"))
        except (ValueError, KeyError):
            self.cut_lines += 1
            return
        entry = self.entry(title)
        if entry is None or not entry.sent or entry.person != person:
            self.violate(f"not requested: {line!r}")
            return
        if entry.delivery not in (None, identifier):
            self.violate(f"{title} was delivered as {entry.delivery} and as {identifier}")
        if entry.seen is None:
            entry.delivery, entry.seen = identifier, now
        entry.times += 1

    def entry(self, title):
        number = title[1:]
        exists = title[:1] == "e" and number.isdigit() and int(number) < len(self.entries)
        return self.entries[int(number)] if exists else None

    def violate(self, text):
        self.violations.append(text)

    # Results

    def missing(self):
        """Returns the titles of the acknowledged events without a delivery."""
        return [f"e{number}" for number, entry in enumerate(self.entries)
                if entry.acknowledged and entry.times == 0]

    def repeated(self):
        """Returns the number of events that were delivered more than once."""
        return sum(entry.times > 1 for entry in self.entries)

    def expected(self):
        """Returns the titles that the store must have, by person."""
        people = {}
        for number, entry in enumerate(self.entries):
            if entry.acknowledged:
                people.setdefault(entry.person, set()).add(f"e{number}")
        return people

    def compare(self, person, expected, notifications):
        """Checks the store's notifications of a person: each event has one, which was delivered."""
        found = {}
        for title, identifier, outcomes in notifications:
            if title in found:
                self.violate(f"{title} is in the store as {found[title]} and as {identifier}")
            found[title] = identifier
            entry = self.entry(title)
            if entry and entry.delivery not in (None, identifier):
                self.violate(f"{title} was delivered as {entry.delivery} and is stored as "
                             f"{identifier}")
            if outcomes != ["accepted"]:
                self.violate(f"{title} has the outcomes {outcomes}")
        for title in sorted(expected - found.keys()):
            self.violate(f"{title} of {person} was acknowledged and is not in the store")
