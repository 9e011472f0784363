"""Keeps the service busy until SIGTERM: a connection for each request, several at once, over the
Unix socket with events and over TCP with queries. Writes the counts of their results to the given
FILE, as NAME=COUNT lines, and each acknowledged event as a line to FILE.events.

A request without an answer is repeated unchanged until it has one.
"""

import collections
import datetime
import json
import signal
import socket
import sys
import threading

SOCKET = "/run/chimed/chimed.sock"
TCP = ("127.0.0.1", 7411)
counts = collections.Counter()
lock = threading.Lock()
ended = threading.Event()


def connect(place):
    family = socket.AF_UNIX if isinstance(place, str) else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(30)
    try:
        connection.connect(place)
    except OSError as error:
        connection.close()
        raise ConnectionRefusedError(str(error)) from error
    return connection


def answer(place, request):
    """Returns the status of the answer; None if the connection ended before there was one."""
    with connect(place) as connection:
        try:
            connection.sendall(request)
            head = b""
            while b"\r\n" not in head:
                part = connection.recv(4096)
                if not part:
                    return None
                head += part
        except OSError:
            return None
    return int(head.split()[1])


def count(name):
    with lock:
        counts[name] += 1


def ask(place, request):
    """Repeats a request until it is answered, and counts the results."""
    while True:
        try:
            status = answer(place, request)
        except ConnectionRefusedError:
            count("refused")
            status = None
        else:
            count("unanswered" if status is None else "answered")
        if status is not None or ended.is_set():
            return status


def report(worker, events):
    number = 0
    while not ended.is_set():
        number += 1
        name = f"load-{worker}-{number}"
        now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=2)
        event = {
            "specversion": "1.0", "id": name, "source": "load", "type": "milestone.reached",
            "subject": name, "time": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "data": {"days": 7},
        }
        body = json.dumps(event).encode()
        head = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        head += f"Content-Type: application/cloudevents+json\r\nContent-Length: {len(body)}\r\n\r\n"
        status = ask(SOCKET, head.encode() + body)
        if status in (200, 202):
            count("acknowledged")
            with lock:
                events.write(body.decode() + "\n")
        elif status is not None:
            count(f"status{status}")


def question():
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    while not ended.is_set():
        status = ask(TCP, request)
        if status not in (None, 200):
            count(f"status{status}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with open(sys.argv[1] + ".events", "w") as events:
        workers = [threading.Thread(target=report, args=(n, events)) for n in range(4)]
        workers += [threading.Thread(target=question) for _ in range(2)]
        for worker in workers:
            worker.start()
        while not ended.wait(1):
            pass
        for worker in workers:
            worker.join()
    with open(sys.argv[1], "w") as file:
        for name in ["answered", "refused", "unanswered", "acknowledged", *sorted(counts)]:
            file.write(f"{name}={counts[name]}\n")


main()
