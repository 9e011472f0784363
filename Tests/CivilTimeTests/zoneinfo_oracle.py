"""Writes the local times of Python's zoneinfo around the clock changes of every time zone.

Usage: zoneinfo_oracle.py DIRECTORY STEP SCAN [FIRST LAST]

DIRECTORY  the time zone database; its files are read directly, so that neither PYTHONTZPATH nor
           the tzdata package can replace it
STEP       minutes between two written local times, and between two written instants
SCAN       hours between the instants whose offsets are compared to find changes
FIRST LAST the first and the last year of the search for changes, by default 2000 and 2040. The
           years in FAR_YEARS are always searched, too.

zoneinfo is used only to convert instants to local times. This program finds the instant of a local
time by a search over that conversion.

Standard output is binary, little endian; a text is its length in one byte and its UTF-8:

  file   := "CHZONES2" group* u16(0) u32(number of changes)
  group  := u16(number of names) text* samples u32(number of changes) change*
  samples:= u32(count) i64(instant)* i32(offset)*
  change := i64(instant) text(abbreviation before) text(abbreviation after) locals instants
  locals := u32(count) i32(local time)* i32(instant)*
  instants := u32(count) i32(instant)* i32(offset)*

Instants are seconds since the epoch; local times are seconds since the local 1970-01-01 00:00.
Inside a change, the local times and the other instants are relative to its first instant. The zones
of a group have identical files.
"""

import os
import struct
import sys
from array import array
from collections import defaultdict
from datetime import datetime, timedelta
from io import BytesIO

try:
    from zoneinfo import ZoneInfo
except ImportError:
    sys.exit("zoneinfo_oracle.py needs zoneinfo: install Python 3.9 or later")

EPOCH = datetime(1970, 1, 1)
SECOND = timedelta(seconds=1)
# The seconds before and after a change for which local times and instants are written.
MARGIN = 90 * 60
FAR_YEARS = (2041, 2100, 2400, 2437, 2438, 9998)
# Files and directories of a time zone database that are not zones, or have other rules.
NOT_ZONES = {"posix", "right", "posixrules", "localtime", "Factory"}


class Zone:
    """The rules of one file; instants are in seconds."""

    def __init__(self, content):
        self.info = ZoneInfo.from_file(BytesIO(content))

    def local(self, instant):
        """Returns the aware local time at an instant."""
        utc = EPOCH + timedelta(seconds=instant)
        return self.info.fromutc(utc.replace(tzinfo=self.info))

    def offset(self, instant):
        return self.local(instant).utcoffset() // SECOND

    def abbreviation(self, instant):
        return self.local(instant).tzname()

    def change_between(self, low, high):
        """Returns the instant of the only change between `low` and `high`."""
        old_offset = self.offset(low)
        while high - low > 1:
            middle = (low + high) // 2
            if self.offset(middle) == old_offset:
                low = middle
            else:
                high = middle
        return high

    def changes(self, first, last, scan):
        """Yields the instants from year `first` to year `last` at which the offset changes."""
        step = timedelta(hours=scan)
        utc = datetime(first, 1, 1, tzinfo=self.info)
        end = datetime(last + 1, 1, 1, tzinfo=self.info)
        fromutc = self.info.fromutc
        previous = fromutc(utc).utcoffset()
        while utc < end:
            utc += step
            offset = fromutc(utc).utcoffset()
            if offset != previous:
                previous = offset
                high = (utc.replace(tzinfo=None) - EPOCH) // SECOND
                yield self.change_between(high - scan * 3600, high)

    def instant(self, local, offsets):
        """Returns the first instant with a local time. If the zone's clocks skip that time, returns
        the instant at which they do. `offsets` are all offsets of the zone around that time."""
        candidates = sorted(local - offset for offset in offsets)
        for candidate in candidates:
            if candidate + self.offset(candidate) == local:
                return candidate
        low, high = candidates[0], candidates[-1]
        assert low + self.offset(low) < local < high + self.offset(high)
        while high - low > 1:
            middle = (low + high) // 2
            if middle + self.offset(middle) < local:
                low = middle
            else:
                high = middle
        return high


def files(directory):
    """Returns a dictionary from the content of a zone file to the names of its zones."""
    names_by_content = defaultdict(list)
    for folder, subfolders, names in os.walk(directory, followlinks=True):
        if folder == directory:
            subfolders[:] = [name for name in subfolders if name not in NOT_ZONES]
            names = [name for name in names if name not in NOT_ZONES]
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                content = file.read()
            if content.startswith(b"TZif"):
                names_by_content[content].append(os.path.relpath(path, directory))
    return names_by_content


def encoded_text(value):
    encoded = value.encode()
    return struct.pack("<B", len(encoded)) + encoded


def pairs(code, keys, values):
    """Encodes the number of keys, the keys, and their 32-bit values. `code` is the type code of the
    keys' array."""
    keys, values = array(code, keys), array("i", values)
    if sys.byteorder == "big":
        keys.byteswap()
        values.byteswap()
    return struct.pack("<I", len(keys)) + keys.tobytes() + values.tobytes()


def change(zone, instant, step):
    """Encodes one change of the offset: the abbreviations before and after it, and the local times
    and instants around it."""
    # From two days before the change to two days after it, in seconds.
    distances = (-2 * 86400, -1, 0, 2 * 86400)
    offsets = {zone.offset(instant + distance) for distance in distances}
    # The local times of the change by the old and the new offset, relative to its instant.
    edges = sorted((zone.offset(instant - 1), zone.offset(instant)))
    locals_ = set(range(edges[0] - MARGIN, edges[1] + MARGIN + 1, step))
    locals_.update(edge + distance for edge in edges for distance in (-1, 0, 1))
    instants = set(range(-MARGIN, MARGIN + 1, step)) | {-1, 0, 1}
    locals_, instants = sorted(locals_), sorted(instants)
    matches = [zone.instant(instant + local, offsets) - instant for local in locals_]
    return b"".join((
        struct.pack("<q", instant),
        encoded_text(zone.abbreviation(instant - 1)),
        encoded_text(zone.abbreviation(instant)),
        pairs("i", locals_, matches),
        pairs("i", instants, [zone.offset(instant + distance) for distance in instants]),
    ))


def samples(zone):
    """Encodes the offsets in January and July of the 330 years from 1970."""
    instants = []
    for year in range(1970, 2300):
        for month in (1, 7):
            instants.append((datetime(year, month, 15, 12, 34, 56) - EPOCH) // SECOND)
    return pairs("q", instants, [zone.offset(instant) for instant in instants])


def main(directory, step, scan, first=2000, last=2040):
    output = sys.stdout.buffer
    output.write(b"CHZONES2")
    total = 0
    for content, names in sorted(files(directory).items(), key=lambda item: item[1]):
        zone = Zone(content)
        changes = list(zone.changes(first, last, scan))
        for year in FAR_YEARS:
            changes += zone.changes(year, year, scan)
        output.write(struct.pack("<H", len(names)) + b"".join(map(encoded_text, sorted(names))))
        output.write(samples(zone))
        output.write(struct.pack("<I", len(changes)))
        for instant in changes:
            output.write(change(zone, instant, step * 60))
        total += len(changes)
    output.write(struct.pack("<HI", 0, total))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
