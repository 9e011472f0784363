"""Connections to the compared servers, which send prepared bytes and count the answers."""

import selectors
import socket
import time


class Connection:
    """A connection with one request at a time.

    `answered(buffer, expected)` returns the number of bytes of the first `expected` answers, or 0
    while some of them are missing. It raises for an unexpected answer.
    """

    def __init__(self, address, answered):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.connect(address)
        if family == socket.AF_INET:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answered = answered
        self.buffer = b""

    def ask(self, request, expected=1):
        """Sends a request and waits; returns the answer's bytes."""
        self.socket.sendall(request)
        return self.wait(expected)

    def wait(self, expected=1):
        while True:
            end = self.answered(self.buffer, expected)
            if end:
                answer, self.buffer = self.buffer[:end], self.buffer[end:]
                return answer
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise ConnectionError(f"closed after {self.buffer[:200]!r}")
            self.buffer += piece


def http(buffer, expected):
    """Parses chimed's answer to events; a status other than 200 and 202 is an error."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return 0
    head = buffer[:end].lower()
    start = head.index(b"content-length:") + 15
    length = int(head[start:].split(b"\r\n", 1)[0])
    whole = end + 4 + length
    if len(buffer) < whole:
        return 0
    status = head.split(b" ", 2)[1]
    is_whole = status == b"200" and buffer.endswith(b'"refused":0}', 0, whole)
    if status != b"202" and not is_whole:
        raise RuntimeError(f"chimed refused: {buffer[:whole][:500]!r}")
    return whole


def redis(buffer, expected):
    """Parses answers of one line each: `:1`, `+OK`; an error is raised."""
    if buffer.startswith(b"-"):
        raise RuntimeError(f"Redis refused: {buffer[:200]!r}")
    return len(buffer) if buffer.count(b"\r\n") >= expected else 0


def beanstalk(buffer, expected):
    """Parses answers of one line each, `INSERTED 7`."""
    if buffer.count(b"\r\n") < expected:
        return 0
    if not buffer.startswith((b"INSERTED", b"USING", b"DELETED")):
        raise RuntimeError(f"beanstalkd refused: {buffer[:200]!r}")
    return len(buffer)


def command(*words):
    """Encodes a command of Redis."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


def all_at_once(connections, requests):
    """Sends requests [(bytes, answers)] over all connections; returns the seconds."""
    rest = iter(requests)
    selector = selectors.DefaultSelector()
    began = time.perf_counter()
    open_ones = 0
    waiting = {}

    def begin(connection):
        request = next(rest, None)
        if request is None:
            return 0
        connection.socket.sendall(request[0])
        waiting[connection] = request[1]
        return 1

    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        open_ones += begin(connection)
    while open_ones:
        for key, _ in selector.select(60):
            connection = key.data
            piece = connection.socket.recv(1 << 20)
            if not piece:
                raise ConnectionError("the server has closed the connection")
            connection.buffer += piece
            end = connection.answered(connection.buffer, waiting[connection])
            if end:
                connection.buffer = connection.buffer[end:]
                open_ones += begin(connection) - 1
    return time.perf_counter() - began
