"""Writes random recurrence rules with their dates, by the Python package `dateutil`.

Usage: generate_rules.py > rules.txt

Each line is DTSTART, the rule and its first dates, separated by spaces; a rule without a further
date in 30 years ends with "end". Rules that RFC 5545 leaves undefined, or that dateutil expands
otherwise than the RFC, are left out: BYSETPOS in a first week that DTSTART divides.
"""

import random
import warnings
from datetime import datetime, timedelta

from dateutil.rrule import rrulestr

COUNT = 640
DATES = 8
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def some(values, most):
    return sorted(random.sample(values, random.randint(1, most)))


def rule():
    frequency = random.choice(["DAILY", "WEEKLY", "MONTHLY", "MONTHLY", "YEARLY", "YEARLY"])
    parts = [f"FREQ={frequency}"]
    if random.random() < 0.5:
        parts.append(f"INTERVAL={random.randint(2, 6)}")
    has_set = False
    if random.random() < 0.3:
        parts.append("BYMONTH=" + ",".join(map(str, some(range(1, 13), 3))))
        has_set = True
    if frequency != "WEEKLY" and random.random() < 0.35:
        days = [day for day in range(-31, 32) if day]
        parts.append("BYMONTHDAY=" + ",".join(map(str, some(days, 3))))
        has_set = True
    if random.random() < 0.55:
        days = some(DAYS, 3)
        if frequency in ("MONTHLY", "YEARLY") and random.random() < 0.5:
            most = 5 if frequency == "MONTHLY" else random.choice([4, 50])
            days = [f"{random.choice([-1, 1]) * random.randint(1, most)}{day}" for day in days]
        parts.append("BYDAY=" + ",".join(days))
        has_set = True
    if has_set and random.random() < 0.3:
        positions = [-3, -2, -1, 1, 2, 3]
        parts.append("BYSETPOS=" + ",".join(map(str, some(positions, 2))))
    if random.random() < 0.4:
        parts.append("WKST=" + random.choice(DAYS))
    return frequency, ";".join(parts)


def is_divided(start, text):
    """Whether DTSTART divides the first week of a weekly rule with positions."""
    if "FREQ=WEEKLY" not in text or "BYSETPOS" not in text:
        return False
    first = text.split("WKST=")[1][:2] if "WKST=" in text else "MO"
    return DAYS[start.weekday()] != first


def first_dates(text, start):
    dates = []
    for date in rrulestr(text, dtstart=start):
        if len(dates) == DATES or date.year > start.year + 30:
            break
        dates.append(f"{date:%Y-%m-%d}")
    return dates


def main():
    random.seed(15)
    warnings.simplefilter("ignore")
    lines = set()
    while len(lines) < COUNT:
        start = datetime(2024, 1, 1) + timedelta(days=random.randint(0, 1500))
        _, text = rule()
        if is_divided(start, text):
            continue
        end = ""
        if random.random() < 0.2:
            end = f";COUNT={random.randint(1, 6)}"
        elif random.random() < 0.2:
            end = f";UNTIL={start + timedelta(days=random.randint(1, 900)):%Y%m%d}"
        try:
            dates = first_dates(text + end, start)
        except IndexError:  # dateutil fails for some ordinals that a year does not have
            continue
        if not dates:
            continue
        words = [f"{start:%Y-%m-%d}", text + end] + dates
        lines.add(" ".join(words + (["end"] if len(dates) < DATES else [])))
    print("\n".join(sorted(lines)))


main()
