"""Lists the dates of iCalendar holiday files by a slow and simple method.

Usage: holidays_oracle.py FILE...

Prints a line for each region and date, `REGION<TAB>DATE<TAB>NAMES`. Several names of one date are
sorted and joined with "; ". The service computes a rule's dates. This oracle instead tests every
day from the start of a rule to 2100. It supports whole days, FREQ=YEARLY, RDATE, EXDATE and
X-CHIMED-REGIONS. It does not check whether files are valid.
"""

import re
import sys
from calendar import isleap, monthrange
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

LAST = date(2100, 12, 31)
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def lines(content):
    """Yields the content lines as (name, value)."""
    text = re.sub(rb"\r?\n[ \t]", b"", content).decode()
    for line in text.splitlines():
        match = re.match(r'([^;:]+)((?:;[^=]+=(?:"[^"]*"|[^";:,]*))*):(.*)', line)
        if match:
            yield match[1].upper(), match[3]


def unescape(text):
    return re.sub(r"\\(.)", lambda match: " " if match[1] in "nN" else match[1], text)


def day(text):
    return date(int(text[:4]), int(text[4:6]), int(text[6:8]))


def days(properties, name):
    return [day(word) for value in properties[name] for word in value.split(",")]


class Rule:
    """An RRULE that is tested day by day."""

    def __init__(self, text, start):
        parts = dict(part.split("=") for part in text.split(";"))
        assert parts.pop("FREQ") == "YEARLY"
        parts.pop("WKST", None)
        self.start = start
        self.interval = int(parts.pop("INTERVAL", "1"))
        self.count = int(parts.pop("COUNT", "1000000"))
        self.until = day(parts.pop("UNTIL", "21001231"))
        self.months = [int(word) for word in parts.pop("BYMONTH", "").split(",") if word]
        self.month_days = [int(word) for word in parts.pop("BYMONTHDAY", "").split(",") if word]
        self.days = [word for word in parts.pop("BYDAY", "").split(",") if word]
        assert not parts, parts

    def has(self, day):
        """Returns whether the rule, which must have a BY… part, yields a day."""
        if (day.year - self.start.year) % self.interval != 0:
            return False
        if self.months and day.month not in self.months:
            return False
        if self.month_days:
            from_end = day.day - monthrange(day.year, day.month)[1] - 1
            if day.day not in self.month_days and from_end not in self.month_days:
                return False
        if self.days:
            return any(self.is_day(word, day) for word in self.days)
        if self.month_days:
            return True
        is_month = bool(self.months) or day.month == self.start.month
        return is_month and day.day == self.start.day

    def is_day(self, word, day):
        """Returns whether an item of BYDAY, such as MO or -1MO, means a day."""
        if day.weekday() != WEEKDAYS.index(word[-2:]):
            return False
        if len(word) == 2:
            return True
        if self.months:
            position, length = day.day, monthrange(day.year, day.month)[1]
        else:
            position, length = day.timetuple().tm_yday, 366 if isleap(day.year) else 365
        return int(word[:-2]) in ((position - 1) // 7 + 1, -((length - position) // 7 + 1))

    def dates(self):
        """Returns the dates of the rule up to 2100, in order."""
        if not (self.months or self.month_days or self.days):
            years = range(self.start.year, self.until.year + 1, self.interval)
            is_yearly = (self.start.month, self.start.day) != (2, 29)
            dates = [self.start.replace(year=y) for y in years if is_yearly or isleap(y)]
            dates = [day for day in dates if day <= self.until]
        else:
            last = min(self.until, LAST)
            span = (last - self.start).days
            all_days = (self.start + timedelta(days=offset) for offset in range(span + 1))
            dates = [day for day in all_days if self.has(day)]
        return dates[: self.count]


def event_dates(properties):
    start = days(properties, "DTSTART")[0]
    end = (days(properties, "DTEND") or [start + timedelta(days=1)])[0]
    rules = properties["RRULE"]
    starts = set(Rule(rules[0], start).dates() if rules else [start])
    starts |= set(days(properties, "RDATE"))
    starts -= set(days(properties, "EXDATE"))
    dates = {first + timedelta(days=n) for first in starts for n in range((end - start).days)}
    return {day for day in dates if 2000 <= day.year <= 2100}


def read(path):
    """Returns the names of a file's holidays by region and date."""
    path = Path(path)
    holidays = defaultdict(lambda: defaultdict(set))
    regions = [path.stem]
    properties = None
    for name, value in lines(path.read_bytes()):
        if (name, value) == ("BEGIN", "VEVENT"):
            properties = defaultdict(list)
        elif (name, value) == ("END", "VEVENT"):
            event_regions = properties["X-CHIMED-REGIONS"]
            for day in event_dates(properties):
                for region in event_regions[0].split(",") if event_regions else regions:
                    holidays[region][day].add(unescape(properties["SUMMARY"][0]))
            properties = None
        elif properties is not None:
            properties[name].append(value)
        elif name == "X-CHIMED-REGIONS":
            regions = value.split(",")
    return {region: holidays[region] for region in {*regions, *holidays}}


def main(paths):
    for path in paths:
        for region, dates in sorted(read(path).items()):
            for day, names in sorted(dates.items()):
                print(region, day, "; ".join(sorted(names)), sep="\t")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.stdout.reconfigure(encoding="utf-8")
    main(sys.argv[1:])
