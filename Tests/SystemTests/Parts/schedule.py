"""The schedule of failures: concurrent tracks, each with one failure at a time."""

import collections

from service import FAILING

# A planned failure. Its start is in seconds from the start of the run, its duration in seconds.
Plan = collections.namedtuple("Plan", "start duration track kind target variant")
# A kind of failure: its track, the limits of its duration in seconds, and its possible targets and
# variants. A track with "{}" exists once for each target.
Kind = collections.namedtuple("Kind", "track shortest longest targets variants")

DAMAGE = ["emptied", "removed", "malformed"]
RECEIVER_TRACK = "receiver of {}"
# A failure in which a webhook answers with errors is short, because a delivery that fails twice is
# attempted again only after five minutes (rule D2).
KINDS = {
    "secret": Kind("configuration", 1, 4, FAILING, DAMAGE),
    "wrong secret": Kind("configuration", 2, 4, FAILING, ["exchanged"]),
    "catalog": Kind("configuration", 1, 4, ["catalog"], ["flow", "key", "urgency", "indent"]),
    "refuses": Kind(RECEIVER_TRACK, 3, 6, FAILING, ["refuse"]),
    "hangs": Kind(RECEIVER_TRACK, 3, 4, FAILING, ["hang"]),
    "error 500": Kind(RECEIVER_TRACK, 2, 4, FAILING, [500]),
    "error 410": Kind(RECEIVER_TRACK, 2, 6, FAILING, [410]),
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
# The least and the greatest pause between two failures of a track, in seconds.
PAUSE, ATTACK_PAUSE = (3, 6), (0.5, 1.5)
# The kinds that need PostgreSQL, and those that need SQLite.
SERVER_STORE_KINDS = {"sessions end", "idle ends", "server crashes"}
FILE_STORE_KINDS = {"lock", "lock, restart", "full disk"}


def plan_failures(random_source, run_duration, excluded_kinds):
    """Returns the plans of all tracks in order of their start."""
    tracks = collections.defaultdict(list)
    for name, kind in KINDS.items():
        for target in kind.targets if "{}" in kind.track else [None]:
            if name not in excluded_kinds:
                tracks[kind.track.format(target)].append(name)
    plans = []
    for track in sorted(tracks):
        plans += plan_track(random_source, track, tracks[track], run_duration)
    return sorted(plans)


def plan_track(random_source, track, names, run_duration):
    """Plans each kind of a track once, in random order, and then random kinds."""
    plans, start = [], random_source.uniform(2, 5)
    unplanned = random_source.sample(names, len(names))
    while True:
        name = unplanned.pop() if unplanned else random_source.choice(names)
        kind = KINDS[name]
        # Failures are short in a short run, so that more kinds fit into it.
        longest = min(kind.longest, max(kind.shortest, run_duration / 6))
        duration = random_source.uniform(kind.shortest, longest)
        if start + duration > run_duration:
            return plans
        target = track.split()[-1] if "{}" in kind.track else random_source.choice(kind.targets)
        plans.append(Plan(round(start, 1), round(duration, 1), track, name, target,
                          random_source.choice(kind.variants)))
        pause = ATTACK_PAUSE if track == "callers" else PAUSE
        start += duration + random_source.uniform(*pause)
