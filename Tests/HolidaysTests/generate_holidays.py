"""Writes the holidays of all countries as iCalendar files, from the Python package `holidays`.

Usage: generate_holidays.py DIRECTORY      (`make holidays` installs the package and runs this)

Each country (ISO 3166-1) has one file, which includes its subdivisions (ISO 3166-2). The files have
public holidays only, with English names where the package has them. Dates with the same name and
the same regions form one event: with an RRULE if a simple RRULE yields them, else with a list of
dates. Lines end with LF for readable diffs. Each file is read again and compared with the package.
"""

import re
import sys
import unicodedata
import warnings
from collections import defaultdict
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import holidays
from holidays.registry import COUNTRIES

import holidays_oracle

FIRST, LAST = 2024, 2035
# The last year for countries whose holidays are not known up to LAST. The package lists some days
# of Nepal only to 2032, and Ukraine has no holidays while martial law lasts.
KNOWN_TO = {"NP": 2032, "UA": 2026}
WEEKDAYS = holidays_oracle.WEEKDAYS
# The code of a subdivision in ISO 3166-2, without the code of the country.
SUBDIVISION = re.compile(r"[A-Z0-9]{1,3}")


class Country:
    """The package's holidays of a country and its subdivisions."""

    def __init__(self, entry):
        self.title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", entry[0])
        self.title = re.sub(r" (And|Of|The) ", lambda match: match[0].lower(), self.title)
        self.code = entry[1]
        self.aliases = [alias for alias in entry[2:] if not alias.startswith("Holidays")]
        kind = getattr(holidays, self.code)
        self.language = "en_US" if "en_US" in kind.supported_languages else None
        last = min(LAST, kind.end_year, KNOWN_TO.get(self.code, LAST))
        self.years = range(max(FIRST, kind.start_year), last + 1)
        # The package also lists subdivisions by names, which are not codes of ISO 3166-2.
        codes = [code for code in kind.subdivisions if SUBDIVISION.fullmatch(code)]
        self.regions = [self.code] + [f"{self.code}-{code}" for code in sorted(codes)]
        self.weekend = []
        self.names = {region: self.names_in(region) for region in self.regions}

    def names_in(self, region):
        """Returns the names of a region's holidays by date."""
        # The years before and after are included, because some of their holidays are observed in
        # `self.years`.
        years = range(self.years[0] - 1, self.years[-1] + 2)
        days = holidays.country_holidays(
            self.code, subdiv=region[3:] or None, years=years, language=self.language,
            categories=holidays.PUBLIC)
        self.weekend = self.weekend or sorted(days.weekend)
        assert self.weekend == sorted(days.weekend), f"{region} has another weekend"
        return {day: set(days.get_list(day)) for day in days if day.year in self.years}

    def events(self):
        """Returns sorted tuples (dates, name, regions); dates and regions are sorted."""
        regions_of = defaultdict(list)
        for region in self.regions:
            for day, names in self.names[region].items():
                for name in names:
                    regions_of[day, name].append(region)
        dates_of = defaultdict(list)
        for (day, name), regions in sorted(regions_of.items()):
            dates_of[name, tuple(regions)].append(day)
        return sorted((dates, name, regions) for (name, regions), dates in dates_of.items())


def weekday_position(day):
    """Returns the position of a day in its month as in BYDAY: "2MO" is the second Monday."""
    return f"{(day.day - 1) // 7 + 1}{WEEKDAYS[day.weekday()]}"


def is_last_of_month(day):
    """Returns whether a day is the last of its weekday in its month."""
    return (day + timedelta(days=7)).month != day.month


def rule(dates):
    """Returns an RRULE without UNTIL that yields these dates up to the last one; None if no simple
    rule does."""
    years = [day.year for day in dates]
    if len(dates) < 4 or years != list(range(years[0], years[0] + len(years))):
        return None
    if len({(day.month, day.day) for day in dates}) == 1:
        exists_always = (dates[0].month, dates[0].day) != (2, 29)
        return "FREQ=YEARLY" if exists_always else None
    if len({day.month for day in dates}) > 1 or len({day.weekday() for day in dates}) > 1:
        return None
    by_month = f"FREQ=YEARLY;BYMONTH={dates[0].month};BYDAY="
    if len({weekday_position(day) for day in dates}) == 1:
        return by_month + weekday_position(dates[0])
    if all(map(is_last_of_month, dates)):
        return by_month + "-1" + weekday_position(dates[0])[1:]
    return None


def escape(text):
    return re.sub(r"([\\;,])", r"\\\1", text)


def fold(line):
    """Yields the line in pieces of at most 75 bytes (RFC 5545), cut after a comma or before a space
    if possible."""
    while len(line.encode()) > 75:
        end = len(line.encode()[:75].decode(errors="ignore"))
        end = max(line.rfind(",", 2, end) + 1, line.rfind(" ", 2, end)) or end
        yield line[:end]
        line = " " + line[end:]
    yield line


def ical_date(day):
    return day.strftime("%Y%m%d")


def slug(text):
    plain = unicodedata.normalize("NFKD", text.replace("'", "")).encode("ascii", "ignore")
    return re.sub(r"[^a-z0-9]+", "-", plain.decode().lower()).strip("-")


def event(dates, name, regions, identifier, country):
    yield "BEGIN:VEVENT"
    yield f"UID:{identifier}"
    yield f"DTSTAMP:{FIRST}0101T000000Z"
    yield f"DTSTART;VALUE=DATE:{ical_date(dates[0])}"
    recurrence = rule(dates)
    if recurrence:
        yield f"RRULE:{recurrence};UNTIL={ical_date(dates[-1])}"
    elif len(dates) > 1:
        yield "RDATE;VALUE=DATE:" + ",".join(map(ical_date, dates[1:]))
    yield f"SUMMARY:{escape(name)}"
    if list(regions) != country.regions:
        yield "X-CHIMED-REGIONS:" + ",".join(regions)
    yield "END:VEVENT"


def calendar(country, source):
    yield "BEGIN:VCALENDAR"
    yield "VERSION:2.0"
    yield "PRODID:-//chimed//generate_holidays.py//EN"
    yield f"NAME:{escape(country.title)}"
    yield "DESCRIPTION:" + escape(
        f"Public holidays: dates and names from {source} (MIT licence). "
        "Do not edit: `make holidays` writes this file.")
    yield f"X-CHIMED-YEARS:{country.years[0]}-{country.years[-1]}"
    yield "X-CHIMED-REGIONS:" + ",".join(country.regions)
    yield "X-CHIMED-WEEKEND:" + ",".join(WEEKDAYS[number] for number in country.weekend)
    yield "X-CHIMED-ALIASES:" + ",".join(country.aliases)
    counts = defaultdict(int)
    for dates, name, regions in country.events():
        identifier = f"{country.code}-{slug(name)}"
        counts[identifier] += 1
        number = counts[identifier]
        identifier += f"-{number}" if number > 1 else ""
        yield from event(dates, name, regions, identifier, country)
    yield "END:VCALENDAR"


def check(path, country):
    """Compares a written file with the package, and prints each yearly holiday that ends before the
    country's last year."""
    names_by_region = holidays_oracle.read(path)
    for region, names in country.names.items():
        assert dict(names_by_region[region]) == names, f"{path}: {region} differs"
    last_years = defaultdict(set)
    for day, names in country.names[country.code].items():
        for name in names:
            last_years[name.removesuffix(" (estimated)")].add(day.year)
    for name, years in last_years.items():
        if len(years) > 5 and years == set(range(min(years), max(years) + 1)):
            if max(years) < country.years[-1]:
                print(f"{path}: no {name} after {max(years)}", file=sys.stderr)


def main(directory):
    warnings.simplefilter("ignore")
    directory.mkdir(parents=True, exist_ok=True)
    source = f"the Python package holidays {version('holidays')}"
    stale = set(directory.glob("*.ics"))
    for entry in COUNTRIES.values():
        country = Country(entry)
        # Skip uninhabited islands, but not a country whose holidays are suspended.
        if not any(country.names.values()) and country.code not in KNOWN_TO:
            continue
        path = directory / f"{country.code}.ics"
        text = "".join(f"{piece}\n" for line in calendar(country, source) for piece in fold(line))
        path.write_text(text, encoding="utf-8", newline="\n")
        check(path, country)
        stale.discard(path)
    for path in stale:
        path.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
