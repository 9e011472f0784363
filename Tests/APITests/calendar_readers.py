"""Reads an iCalendar feed with two libraries, and prints the events that each finds as JSON.

Usage: calendar_readers.py FILE
"""

import json
import sys
from datetime import timezone

import icalendar
import vobject


def entry(identifier, start, summary, description):
    """An event as a list; the start is in UTC."""
    start = start.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [str(identifier), start, str(summary), str(description)]


def read_by_icalendar(text):
    calendar = icalendar.Calendar.from_ical(text)
    return [
        entry(event["UID"], event["DTSTART"].dt, event["SUMMARY"], event.get("DESCRIPTION", ""))
        for event in calendar.walk("VEVENT")]


def read_by_vobject(text):
    calendar = vobject.readOne(text, validate=True)
    return [
        entry(event.uid.value, event.dtstart.value, event.summary.value,
              event.description.value if hasattr(event, "description") else "")
        for event in calendar.contents.get("vevent", [])]


def main(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    json.dump({"icalendar": read_by_icalendar(text), "vobject": read_by_vobject(text)}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
