"""Compares chimed with other servers that keep jobs until they are due, with equal loads.

Redis has a set sorted by due time, and a synced log. A worker moves due jobs, a hundred at a time,
to a list of running jobs, and then removes them from the list. beanstalkd syncs its log with each
job. Both store a text and a time, and decide nothing: they have no recipients, time zones, quiet
hours or records of deliveries. floor.c measures SQLite alone.

The row of a server that is not installed says so. Figures are medians of several runs, with minimum
and maximum.
"""

import argparse
import statistics
import time

import loads
from servers import Beanstalk, Chimed, Missing, Redis, burst, floor
from wire import all_at_once, beanstalk, http, redis


def burst_of_chimed(make_event, count):
    """Returns the seconds from the common due time to the last delivery on standard output."""
    with Chimed() as service:
        due = time.time() + loads.LEAD
        requests = list(loads.posts(make_event, count, 1_000, due))
        all_at_once(service.connections(4, http), requests)
        return service.read_lines(count, due) - due


def burst_of_redis(count):
    with Redis("always") as server:
        due = time.time() + loads.LEAD
        all_at_once(server.connections(4, redis), list(loads.additions(count, 1_000, due)))
        return server.work(count, due) - due


def intake_of_chimed(make_event, count, size, connections):
    """Returns the accepted events per second. Each is durable before it is answered."""
    with Chimed() as service:
        # No event becomes due during the measurement.
        requests = list(loads.posts(make_event, count, size, time.time() + loads.DELAY - 1))
        return count / all_at_once(service.connections(connections, http), requests)


def intake_of_redis(count, size, connections):
    with Redis("always") as server:
        requests = list(loads.additions(count, size, time.time() + 86_400))
        return count / all_at_once(server.connections(connections, redis), requests)


def intake_of_beanstalk(count, connections):
    with Beanstalk() as server:
        requests = list(loads.puts(count))
        return count / all_at_once(server.connections(connections, beanstalk), requests)


def lateness(server, connections, make_requests):
    """Returns the 99th percentile of the lateness in milliseconds, with 1,000 jobs per second for
    ten seconds. `make_requests` yields the requests that create the jobs."""
    first = time.time() + loads.LEAD
    all_at_once(connections, list(make_requests(10_000, first)))
    latenesses = sorted(server.latenesses(10_000, first))
    return 1_000 * latenesses[len(latenesses) * 99 // 100]


def lateness_of_chimed():
    with Chimed() as service:
        return lateness(service, service.connections(4, http), loads.spread_posts)


def lateness_of_redis():
    with Redis("everysec") as server:
        return lateness(server, server.connections(4, redis), loads.spread_additions)


# For each row: its name, the unit, chimed's load, the peer's name, and the peer's load.
ROWS = [
    (
        "100,000 due at once, all with the catalog's text: time to the last delivery",
        "s", lambda: burst_of_chimed(loads.trigger, 100_000),
        "Redis, synced", lambda: burst_of_redis(100_000),
    ),
    (
        "100,000 due at once, each with its own text: time to the last delivery",
        "s", lambda: burst_of_chimed(loads.notification_request, 100_000),
        "Redis, synced", lambda: burst_of_redis(100_000),
    ),
    (
        "1,000,000 due at once, in the benchmark's own process",
        "s", lambda: burst(1_000_000), "SQLite's rows in C", lambda: floor(1_000_000),
    ),
    (
        "accepted, 1,000 at a time on 4 connections, each with its own text",
        "a second", lambda: intake_of_chimed(loads.notification_request, 100_000, 1_000, 4),
        "Redis, synced", lambda: intake_of_redis(100_000, 1_000, 4),
    ),
    (
        "accepted, 1,000 at a time on 4 connections, events that trigger a reminder",
        "a second", lambda: intake_of_chimed(loads.trigger, 100_000, 1_000, 4),
        "Redis, synced", lambda: intake_of_redis(100_000, 1_000, 4),
    ),
    (
        "accepted one by one on one connection",
        "a second", lambda: intake_of_chimed(loads.trigger, 5_000, 1, 1),
        "Redis, synced", lambda: intake_of_redis(5_000, 1, 1),
    ),
    (
        "accepted one by one on one connection",
        "a second", lambda: intake_of_chimed(loads.trigger, 5_000, 1, 1),
        "beanstalkd, synced", lambda: intake_of_beanstalk(5_000, 1),
    ),
    (
        "accepted one by one on 64 connections",
        "a second", lambda: intake_of_chimed(loads.trigger, 50_000, 1, 64),
        "Redis, synced", lambda: intake_of_redis(50_000, 1, 64),
    ),
    (
        "lateness at 1,000 a second, 99th percentile",
        "ms", lateness_of_chimed, "Redis, synced each second", lateness_of_redis,
    ),
]


def summary(figures, unit):
    digits = 0 if unit == "a second" else 2
    words = [f"{figure:,.{digits}f}" for figure in
             (statistics.median(figures), min(figures), max(figures))]
    return f"{words[0]} {unit} ({words[1]} to {words[2]})"


def compare(row, rounds):
    """Measures a row's two loads, and returns the line of the table."""
    name, unit, measure_chimed, peer_name, measure_peer = row
    try:
        pairs = [(measure_chimed(), measure_peer()) for _ in range(rounds)]
    except Missing as missing:
        return f"| {name} | | {peer_name} | {missing} | |"
    figures, peer_figures = zip(*pairs)
    ratio = statistics.median(figures) / statistics.median(peer_figures)
    return (f"| {name} | {summary(figures, unit)} | {peer_name} | {summary(peer_figures, unit)} "
            f"| {ratio:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="measure only rows whose name has this text")
    arguments = parser.parse_args()
    print("| load | chimed | peer | peer's figure | chimed / peer |")
    print("| --- | --- | --- | --- | --- |")
    for row in ROWS:
        if arguments.only in row[0]:
            print(compare(row, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
