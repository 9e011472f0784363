"""Keeps the service busy until SIGTERM: load.py FILE.

Several threads send requests, each on a connection of its own: events over the Unix socket, and
queries over TCP. A request without an answer is repeated unchanged until it has one. Writes the
numbers of results to FILE, as lines NAME=COUNT, and each acknowledged event as a line to
FILE.events.
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
stop_event = threading.Event()


def connect(address):
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(30)
    try:
        connection.connect(address)
    except OSError as error:
        connection.close()
        raise ConnectionRefusedError(str(error)) from error
    return connection


def send(address, request):
    """Sends a request. Returns the status of the answer; None if the connection ends first. Raises
    ConnectionRefusedError if the connection fails."""
    with connect(address) as connection:
        try:
            connection.sendall(request)
            head = b""
            while b"\r\n" not in head:
                piece = connection.recv(4096)
                if not piece:
                    return None
                head += piece
        except OSError:
            return None
    return int(head.split()[1])


def count(name):
    with lock:
        counts[name] += 1


def ask(address, request):
    """Sends a request repeatedly until it is answered, and counts the results. Returns the status;
    None if the load ends first."""
    while True:
        try:
            status = send(address, request)
        except ConnectionRefusedError:
            count("refused")
            status = None
        else:
            count("unanswered" if status is None else "answered")
        if status is not None or stop_event.is_set():
            return status


def report(worker, events):
    """Reports events until the load ends, and writes those that are acknowledged to a file."""
    number = 0
    while not stop_event.is_set():
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


def query():
    """Sends queries until the load ends."""
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    while not stop_event.is_set():
        status = ask(TCP, request)
        if status not in (None, 200):
            count(f"status{status}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: stop_event.set())
    with open(sys.argv[1] + ".events", "w") as events:
        workers = [threading.Thread(target=report, args=(n, events)) for n in range(4)]
        workers += [threading.Thread(target=query) for _ in range(2)]
        for worker in workers:
            worker.start()
        while not stop_event.wait(1):
            pass
        for worker in workers:
            worker.join()
    with open(sys.argv[1], "w") as file:
        for name in ["answered", "refused", "unanswered", "acknowledged", *sorted(counts)]:
            file.write(f"{name}={counts[name]}\n")


main()
