"""The requests of the compared servers' loads, which are encoded before a measurement begins."""

import datetime
import json
import time

from wire import command

# The seconds from a load's preparation until its jobs are due.
LEAD = 15.0
# The seconds from an event until the catalog's reminder is due.
DELAY = 60.0


def utc(seconds):
    instant = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def event(number, kind, data, at):
    return {
        "specversion": "1.0", "id": f"e{number}", "source": "peers", "type": kind,
        "subject": f"person-{number}", "time": utc(at), "data": data,
    }


def trigger(number, due):
    """Returns an event that triggers the catalog's reminder at a due time."""
    return event(number, "job.set", {}, due - DELAY)


def notification_request(number, due):
    """Returns an event that requests a notification with its own text at a due time."""
    data = {"category": "WORK", "title": f"Job {number}", "body": body(number), "at": utc(due)}
    return event(number, "notification.requested", data, time.time())


def body(number):
    return f"This is the text of job {number}, and of no other"


def payload(number):
    job = {"person": f"person-{number}", "title": f"Job {number}", "body": body(number)}
    return json.dumps(job)


def post(events):
    """Returns an HTTP request with these events, and the number of its answers."""
    text = json.dumps(events if len(events) > 1 else events[0]).encode()
    kind = b"-batch" if len(events) > 1 else b""
    head = b"POST /v1/events HTTP/1.1\r\nHost: chimed\r\n"
    head += b"Content-Type: application/cloudevents" + kind + b"+json\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(text) + text, 1


def number_ranges(count, size):
    """Divides the numbers below `count` into ranges of `size` numbers."""
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def posts(make_event, count, size, due):
    """Yields requests to chimed, of `size` events each."""
    for numbers in number_ranges(count, size):
        yield post([make_event(number, due) for number in numbers])


def additions(count, size, due):
    """Yields pipelines of commands to Redis, of `size` jobs each."""
    for numbers in number_ranges(count, size):
        yield b"".join(command("ZADD", "jobs", due, payload(n)) for n in numbers), len(numbers)


def spread_posts(count, first):
    """Yields requests to chimed whose events are due one after the other, 1,000 per second."""
    for numbers in number_ranges(count, 1_000):
        yield post([trigger(number, first + number / 1_000) for number in numbers])


def spread_additions(count, first):
    """Yields commands to Redis whose jobs are due one after the other, 1,000 per second."""
    for numbers in number_ranges(count, 1_000):
        jobs = [command("ZADD", "jobs", first + n / 1_000, payload(n)) for n in numbers]
        yield b"".join(jobs), len(jobs)


def puts(count):
    """Yields commands to beanstalkd of one job each, due in a day."""
    for number in range(count):
        text = payload(number).encode()
        yield b"put 0 86400 60 %d\r\n%s\r\n" % (len(text), text), 1
