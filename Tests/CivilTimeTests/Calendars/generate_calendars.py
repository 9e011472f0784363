"""Writes the years of other calendars by Python packages that chimed has nothing in common with.

Usage: python3 -m venv venv && venv/bin/pip install ummalqura convertdate pyluach
       venv/bin/python generate_calendars.py > calendars.txt

Each line has a calendar, a year, the Gregorian date of its first day and, for each month, a digit
that is 1 if the month has 30 days or more than that. Months that a Hebrew year lacks are "-".

The years of Umm al-Qura are of the package `ummalqura`, those of the Persian calendar of
`convertdate`, which computes each equinox, and those of the Hebrew calendar of `pyluach`.
"""

from datetime import date, timedelta

from convertdate import persian
from pyluach import dates as hebrew
from ummalqura.hijri import Umalqurra


def line(name, year, starts):
    lengths = [(later - earlier).days for earlier, later in zip(starts, starts[1:])]
    return name, year, starts[0], lengths


def umalqura(year):
    months = [(year, month) for month in range(1, 13)] + [(year + 1, 1)]
    starts = [date(*map(int, Umalqurra().hijri_to_gregorian(*month, 1))) for month in months]
    return line("islamic-umalqura", year, starts)


def persian_year(year):
    months = [(year, month) for month in range(1, 13)] + [(year + 1, 1)]
    return line("persian", year, [date(*persian.to_gregorian(*month, 1)) for month in months])


def hebrew_year(year):
    # pyluach counts months from Nisan; 12 is Adar or Adar I, 13 is Adar II.
    is_leap = hebrew.HebrewDate(year, 7, 1).to_pydate() + timedelta(380) < hebrew.HebrewDate(
        year + 1, 7, 1).to_pydate()
    months = [7, 8, 9, 10, 11] + ([12, 13] if is_leap else [12]) + [1, 2, 3, 4, 5, 6]
    starts = [hebrew.HebrewDate(year, month, 1).to_pydate() for month in months]
    starts.append(hebrew.HebrewDate(year + 1, 7, 1).to_pydate())
    name, year, start, lengths = line("hebrew", year, starts)
    return name, year, start, lengths if is_leap else lengths[:5] + [None] + lengths[5:]


def main():
    years = [umalqura(year) for year in range(1365, 1500)]
    years += [persian_year(year) for year in range(1280, 1500)]
    years += [hebrew_year(year) for year in range(5660, 5880)]
    for name, year, start, lengths in years:
        digits = "".join("-" if length is None else str(int(length >= 30)) for length in lengths)
        print(name, year, start.isoformat(), digits)


main()
