"""The schedule of failures: tracks that run beside each other, each with one failure at a time."""

import collections

from service import FAILING

Plan = collections.namedtuple("Plan", "second seconds track kind target variant")
Kind = collections.namedtuple("Kind", "track shortest longest targets variants")

DAMAGE = ["emptied", "removed", "malformed"]
RECEIVER = "receiver of {}"
# A webhook that answers errors for longer would have a second retry, after five minutes (rule D2).
KINDS = {
    "secret": Kind("configuration", 1, 4, FAILING, DAMAGE),
    "wrong secret": Kind("configuration", 2, 4, FAILING, ["exchanged"]),
    "catalog": Kind("configuration", 1, 4, ["catalog"], ["flow", "key", "urgency", "indent"]),
    "refuses": Kind(RECEIVER, 3, 6, FAILING, ["refuse"]),
    "hangs": Kind(RECEIVER, 3, 4, FAILING, ["hang"]),
    "error 500": Kind(RECEIVER, 2, 4, FAILING, [500]),
    "error 410": Kind(RECEIVER, 2, 6, FAILING, [410]),
    "no secret": Kind("store", 2, 5, FAILING, DAMAGE),
    "lock": Kind("store", 6, 20, ["store"], ["exclusive"]),
    "lock, restart": Kind("store", 6, 20, ["store"], ["exclusive"]),
    "full disk": Kind("store", 5, 10, ["store"], ["filler"]),
    "sessions end": Kind("store", 1, 2, ["store"], ["all"]),
    "idle ends": Kind("store", 1, 2, ["store"], ["idle"]),
    "server crashes": Kind("store", 1, 2, ["store"], ["crash"]),
}
ATTACKS = ["session", "download", "paths", "checks", "bodies", "preferences", "devices",
           "connections", "stream", "stopped", "export", "backup"]
KINDS |= {f"attack: {name}": Kind("callers", 3, 4, ["service"], [name]) for name in ATTACKS}
# The seconds from the planned end of a failure to the next one of its track.
BETWEEN, BETWEEN_ATTACKS = (3, 6), (0.5, 1.5)
ON_A_SERVER = {"sessions end", "idle ends", "server crashes"}
ON_A_FILE = {"lock", "lock, restart", "full disk"}


def compose(chance, seconds, left_out):
    """Returns the plans of all tracks, in order of their begin."""
    tracks = collections.defaultdict(list)
    for name, kind in KINDS.items():
        for target in kind.targets if "{}" in kind.track else [None]:
            if name not in left_out:
                tracks[kind.track.format(target)].append(name)
    plans = []
    for track in sorted(tracks):
        plans += fill_track(chance, track, tracks[track], seconds)
    return sorted(plans)


def fill_track(chance, track, names, seconds):
    """Plans each kind of a track once, in random order, and then random ones."""
    plans, second = [], chance.uniform(2, 5)
    waiting = chance.sample(names, len(names))
    while True:
        name = waiting.pop() if waiting else chance.choice(names)
        kind = KINDS[name]
        # Short runs have short locks, so that each kind gets its turn.
        span = chance.uniform(kind.shortest, min(kind.longest, max(kind.shortest, seconds / 6)))
        if second + span > seconds:
            return plans
        target = track.split()[-1] if "{}" in kind.track else chance.choice(kind.targets)
        plans.append(Plan(round(second, 1), round(span, 1), track, name, target,
                          chance.choice(kind.variants)))
        second += span + chance.uniform(*(BETWEEN_ATTACKS if track == "callers" else BETWEEN))
