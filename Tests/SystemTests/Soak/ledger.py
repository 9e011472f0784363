"""What was reported, acknowledged and said of events that ask for one notification each."""

import json


class Entry:
    """An event, its notification's id, and how often that came."""

    __slots__ = ("person", "at", "sent", "acknowledged", "delivery", "seen", "times")

    def __init__(self, person, at):
        self.person, self.at = person, at
        self.sent, self.acknowledged = 0, False
        self.delivery, self.seen, self.times = None, None, 0


class Ledger:
    """Event `e7` asks for a notification whose title is `e7`; nothing else is to be said.

    Times are any that grow, of one clock."""

    def __init__(self):
        self.entries, self.violations = [], []
        # Those whose sender does not know what became of them, or was told to send them again.
        self.open = []
        self.silently_taken = self.cut_lines = 0

    # What is sent

    def compose(self, person, at):
        self.entries.append(Entry(person, at))
        return len(self.entries) - 1

    def send(self, number):
        self.entries[number].sent += 1
        return self.entries[number]

    def leave_open(self, number):
        if not self.entries[number].acknowledged:
            self.open.append(number)

    # What comes back

    def answer(self, number, status, asked):
        """A node has said of an event, which was sent at `asked`, what became of it."""
        entry = self.entries[number]
        if status == "accepted":
            if entry.acknowledged:
                self.violate(f"e{number} was acknowledged, and then it was news")
            if entry.seen is not None and entry.seen < asked:
                self.violate(f"e{number} was said, and then it was news")
        elif status == "duplicate":
            if entry.sent == 1:
                self.violate(f"e{number} was sent once, and was a duplicate")
            self.silently_taken += not entry.acknowledged
        else:
            self.violate(f"e{number} was {status}")
        entry.acknowledged = True

    def deliver(self, line, now):
        """A sink has got a line."""
        try:
            delivery = json.loads(line)
            title, person, identifier = (delivery[key] for key in ("title", "recipient", "id"))
        except (ValueError, KeyError):
            self.cut_lines += 1
            return
        entry = self.entry(title)
        if entry is None or not entry.sent or entry.person != person:
            self.violate(f"nobody asked for {line!r}")
            return
        if entry.delivery not in (None, identifier):
            self.violate(f"{title} was said as {entry.delivery} and as {identifier}")
        if entry.seen is None:
            entry.delivery, entry.seen = identifier, now
        entry.times += 1

    def entry(self, title):
        number = title[1:]
        known = title[:1] == "e" and number.isdigit() and int(number) < len(self.entries)
        return self.entries[int(number)] if known else None

    def violate(self, text):
        self.violations.append(text)

    # What came of it

    def missing(self):
        """What was acknowledged and never said."""
        return [f"e{number}" for number, entry in enumerate(self.entries)
                if entry.acknowledged and entry.times == 0]

    def repeated(self):
        """How many were said more than once, under one id."""
        return sum(entry.times > 1 for entry in self.entries)

    def expected(self):
        """The titles that the store has to have, by person."""
        people = {}
        for number, entry in enumerate(self.entries):
            if entry.acknowledged:
                people.setdefault(entry.person, set()).add(f"e{number}")
        return people

    def compare(self, person, expected, notifications):
        """What the store has of a person: each occurrence once, and with one outcome."""
        found = {}
        for title, identifier, outcomes in notifications:
            if title in found:
                self.violate(f"{title} stands in the store as {found[title]} and as {identifier}")
            found[title] = identifier
            entry = self.entry(title)
            if entry and entry.delivery not in (None, identifier):
                self.violate(f"{title} was said as {entry.delivery} and is kept as {identifier}")
            if outcomes != ["delivered"]:
                self.violate(f"{title} has come to {outcomes}")
        for title in sorted(expected - found.keys()):
            self.violate(f"{title} of {person} was acknowledged and is not in the store")
