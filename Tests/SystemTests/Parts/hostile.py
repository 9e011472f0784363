#!/usr/bin/env python3
"""Attacks a service with hostile callers: hostile.py KIND PORT TOKEN RECIPIENT.

KIND is the name of a function below. The attack runs until the end of standard input. Then the
program prints a JSON object with the number of answers by status; "0" counts failed requests."""

import collections
import contextlib
import http.client
import json
import socket
import sys
import threading

KIND, PORT, TOKEN, RECIPIENT = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
stop_event = threading.Event()
counts = collections.Counter()
lock = threading.Lock()
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}


def connect(source):
    return http.client.HTTPConnection("127.0.0.1", PORT, timeout=10, source_address=(source, 0))


def ask(connection, method, path, body=None, headers=None):
    """Sends a request and reads the answer; closes the connection if that fails. The next request
    connects again."""
    status, content = 0, b""
    try:
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        status, content = reply.status, reply.read()
    except (OSError, http.client.HTTPException):
        connection.close()
    with lock:
        counts[str(status)] += 1
    return status, content


def repeat(count, source, rate, request):
    """Runs `count` clients, which together send at most `rate` requests per second."""

    def run(client):
        connection, number = connect(source), 0
        while not stop_event.wait(count / rate):
            request(connection, f"{client}-{number}")
            number += 1

    threads = [threading.Thread(target=run, args=(client,), daemon=True) for client in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Junk requests

def session():
    repeat(16, "127.0.1.1", 500, lambda connection, name: ask(
        connection, "POST", "/v1/console/session", json.dumps({"ticket": "chimed_" + name}),
        {"Content-Type": "application/json"}))


def download():
    repeat(16, "127.0.1.2", 500, lambda connection, name: ask(
        connection, "GET", f"/v1/backup/chimed_{name}"))


def paths():
    deep = "/v1/recipients" + "/recipeints/prefrences" * 300
    repeat(8, "127.0.1.3", 200, lambda connection, name: ask(
        connection, "GET", f"{deep}/{name}", None, AUTHORIZED))


# Large requests

def checks():
    declarations = "".join(f"  event.number{number:05}: {{thing: identifier, name: text}}\n"
                           for number in range(5_000))
    source = ("catalog: large\nevents:\n" + declarations)[:249_000].rpartition("\n")[0] + "\n"
    body = json.dumps({"name": "large", "source": source})
    repeat(12, "127.0.1.4", 60, lambda connection, _: ask(
        connection, "POST", "/v1/catalog-checks", body, AUTHORIZED))


def bodies():
    large = b'[{"specversion":"1.0","id":"' + b"x" * (8 << 20) + b'"}]'
    repeat(8, "127.0.1.5", 40, lambda connection, _: ask(
        connection, "POST", "/v1/events", large, AUTHORIZED))


def flood(total, kind, data):
    """Sends batches of events as the recipient, each as soon as the previous one is answered."""
    connection = connect("127.0.1.6")
    for first in range(0, total, 600):
        batch = [{"specversion": "1.0", "id": f"{RECIPIENT}-{number}", "source": "hostile",
                  "subject": RECIPIENT, "type": kind, "data": data(number)}
                 for number in range(first, first + 600)]
        status, content = 503, b""
        while status in (503, 507) and not stop_event.wait(0.02):
            status, content = ask(connection, "POST", "/v1/events", json.dumps(batch), AUTHORIZED)
        with contextlib.suppress(ValueError, KeyError, TypeError):
            counts["accepted"] += json.loads(content)["accepted"]


def preferences():
    flood(36_000, "preferences.updated",
          lambda number: {"categories": {"HOOK": {"push": number % 2 == 0}}})
    stop_event.wait()


def fill_up(total=600):
    """Reports events about different devices, by default as many as are accepted at once."""
    flood(total, "device.registered",
          lambda number: {"deviceId": f"d{number}", "platform": "ios", "token": f"t{number}"})


def devices():
    fill_up(25_000)
    stop_event.wait()


# Connections

def connections():
    """Keeps opening idle connections from eight addresses, and holds the latest 512 open."""
    latest = collections.deque()
    while not stop_event.is_set():
        for number in range(8):
            with contextlib.suppress(OSError):
                latest.append(socket.create_connection(
                    ("127.0.0.1", PORT), 5, source_address=(f"127.0.2.{number + 1}", 0)))
                counts["opened"] += 1
        while len(latest) > 512:
            latest.popleft().close()
        stop_event.wait(0.02)


def read_slowly(path, source, size, count):
    """Sends `count` requests. Then reads at most `size` bytes of each answer, twice a second; if
    `size` is 0, reads nothing."""
    streams = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            stream = socket.socket()
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            stream.bind((source, 0))
            stream.settimeout(1)
            stream.connect(("127.0.0.1", PORT))
            stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
                           f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())
            streams.append(stream)
            counts["opened"] += 1
    while not stop_event.wait(0.5):
        for stream in streams:
            with contextlib.suppress(OSError):
                stream.recv(size) if size else None


def stream():
    read_slowly("/v1/status/stream", "127.0.1.7", 16, 8)


def stopped():
    read_slowly("/v1/log/stream", "127.0.1.8", 0, 8)


def backup():
    read_slowly("/v1/backup", "127.0.1.9", 1_024, 4)


def export():
    """Reads exports slowly, after the recipient has reported as many events as it may at once."""
    fill_up()
    read_slowly(f"/v1/recipients/{RECIPIENT}/export", "127.0.1.9", 64, 32)


def main():
    thread = threading.Thread(target=globals()[KIND], daemon=True)
    thread.start()
    sys.stdin.read()
    stop_event.set()
    thread.join(12)
    with lock:
        print(json.dumps(counts))


if __name__ == "__main__":
    main()
