"""Writes random calendars with the instants of their events, by the Python package `dateutil`.

Usage: generate_calendars.py > calendars.txt

Each calendar has several events with rules, EXDATE, RDATE and components that move or cancel a
date. The line after it, which begins with "=", has for each UID, in order, the UID and the instants
of the event in UTC from March to May 2026, as days since 1 March and minutes of the day. Times of
day that clocks skip or repeat are left out, because dateutil expands them otherwise than chimed.
"""

import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr, rruleset

COUNT = 60
START, END = datetime(2026, 3, 1), datetime(2026, 6, 1)
ZONES = [None, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def rule():
    frequency = random.choice(["DAILY", "DAILY", "WEEKLY", "WEEKLY", "MONTHLY"])
    parts = [f"FREQ={frequency}"]
    if random.random() < 0.4:
        parts.append(f"INTERVAL={random.randint(2, 4)}")
    if frequency == "WEEKLY" and random.random() < 0.7:
        parts.append("BYDAY=" + ",".join(random.sample(DAYS, random.randint(1, 4))))
    if frequency == "MONTHLY":
        parts.append(random.choice(["BYDAY=1MO,-1FR", "BYMONTHDAY=1,15,-1", "BYDAY=SA,SU"]))
    return ";".join(parts)


def utc(local, zone):
    """The instant of a local time; floating times follow a person in UTC."""
    return local.replace(tzinfo=ZoneInfo(zone or "UTC")).astimezone(timezone.utc)


def in_zone(local, zone, other):
    return utc(local, zone).astimezone(ZoneInfo(other)).replace(tzinfo=None)


def written(name, locals_, zone, other=None):
    """A property with local times of a zone, written in another zone."""
    if zone is not None and other is not None:
        locals_, zone = [in_zone(local, zone, other) for local in locals_], other
    values = ",".join(f"{local:%Y%m%dT%H%M%S}" for local in locals_)
    if zone == "UTC":
        return f"{name}:" + values.replace(",", "Z,") + "Z"
    return f"{name};TZID={zone}:{values}" if zone else f"{name}:{values}"


def other_zone():
    return random.choice([None, "UTC", "Asia/Tokyo"])


def time_of_day():
    return timedelta(minutes=5 * random.randint(72, 250))


def event(uid):
    """The components of a series, and its instants."""
    zone = random.choice(ZONES)
    start = START + timedelta(days=random.randint(-40, 20)) + time_of_day()
    lines, dates = [], rruleset()
    if random.random() < 0.85:
        text = rule()
        start = rrulestr(text, dtstart=start)[0]
        end = random.choice(["", "", f";COUNT={random.randint(5, 40)}"])
        lines.append(f"RRULE:{text}{end}")
        dates.rrule(rrulestr(text + end, dtstart=start))
    else:
        dates.rdate(start)
    lines.insert(0, written("DTSTART", [start], zone))
    further = [start + timedelta(days=random.randint(1, 90)) + timedelta(hours=1)
               for _ in range(random.choice([0, 0, 1, 3]))]
    for local in further:
        dates.rdate(local)
        lines.append(written("RDATE", [local], zone, other_zone()))
    known = [local for local in dates.between(START, END)] or [start]
    left_out = random.sample(known, min(len(known) // 2, random.randint(0, 4)))
    if left_out:
        lines.append(written("EXDATE", left_out, zone, other_zone()))
    for local in left_out:
        dates.exdate(local)
    rest = [local for local in known if local not in left_out]
    changed = random.sample(rest, min(len(rest) // 2, random.randint(0, 3)))
    moved, changes = set(), []
    for local in changed:
        change = [written("RECURRENCE-ID", [local], zone, other_zone())]
        if random.random() < 0.3:
            change += [written("DTSTART", [local], zone), "STATUS:CANCELLED"]
        else:
            to = datetime(local.year, local.month, local.day) + time_of_day()
            to += timedelta(days=random.randint(-3, 3))
            moved.add(to)
            change.append(written("DTSTART", [to], zone, other_zone()))
        changes.append(change)
    instants = {utc(local, zone) for local in dates.between(START - timedelta(3), END)
                if local not in changed} | {utc(local, zone) for local in moved}
    return [component(uid, part) for part in [lines] + changes], instants


def component(uid, lines):
    return "\n".join(["BEGIN:VEVENT", f"UID:{uid}", "SUMMARY:Iron", *lines, "END:VEVENT"])


def code(instant):
    span = instant - START.replace(tzinfo=timezone.utc)
    return f"{span.days}:{span.seconds // 60}"


def calendar():
    components, answer = [], []
    for uid in range(random.randint(2, 5)):
        parts, instants = event(f"u{uid}")
        components += parts
        inside = sorted(i for i in instants
                        if START <= i.replace(tzinfo=None) < END)
        answer.append(" ".join([f"u{uid}"] + [code(i) for i in inside]))
    random.shuffle(components)
    return "\n".join(["BEGIN:VCALENDAR", *components, "END:VCALENDAR", "=" + ",".join(answer)])


def main():
    random.seed(21)
    print("\n".join(calendar() for _ in range(COUNT)))


main()
