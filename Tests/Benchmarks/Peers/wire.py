"""Connections to the compared servers, which send encoded requests and count the answers."""

import selectors
import socket
import time


class Connection:
    """A connection with one request at a time.

    `parse(buffer, expected)` returns the length of the first `expected` answers in the buffer, or 0
    if some of them are incomplete. It raises an error for a refusal.
    """

    def __init__(self, address, parse):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.connect(address)
        if family == socket.AF_INET:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.parse = parse
        self.buffer = b""

    def ask(self, request, expected=1):
        """Sends a request, waits for `expected` answers, and returns their bytes."""
        self.socket.sendall(request)
        return self.wait(expected)

    def wait(self, expected=1):
        """Waits for `expected` answers, and returns their bytes."""
        while True:
            end = self.parse(self.buffer, expected)
            if end:
                answer, self.buffer = self.buffer[:end], self.buffer[end:]
                return answer
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise ConnectionError(f"closed after {self.buffer[:200]!r}")
            self.buffer += piece


def http(buffer, expected):
    """Parses chimed's answer to one request; raises an error if an event was refused."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return 0
    head = buffer[:end].lower()
    start = head.index(b"content-length:") + 15
    length = int(head[start:].split(b"\r\n", 1)[0])
    answer_end = end + 4 + length
    if len(buffer) < answer_end:
        return 0
    status = head.split(b" ", 2)[1]
    is_accepted = status == b"200" and buffer.endswith(b'"refused":0}', 0, answer_end)
    if status != b"202" and not is_accepted:
        raise RuntimeError(f"chimed refused: {buffer[:answer_end][:500]!r}")
    return answer_end


def redis(buffer, expected):
    """Parses answers of one line each, such as `:1` and `+OK`; raises an error for `-…`."""
    if buffer.startswith(b"-"):
        raise RuntimeError(f"Redis refused: {buffer[:200]!r}")
    return len(buffer) if buffer.count(b"\r\n") >= expected else 0


def beanstalk(buffer, expected):
    """Parses answers of one line each, such as `INSERTED 7`; raises an error for others."""
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
    """Sends all requests over several connections in parallel; returns the seconds until the last
    answer. A request is a pair: its bytes, and the number of its answers."""
    unsent = iter(requests)
    selector = selectors.DefaultSelector()
    start = time.perf_counter()
    in_flight = 0
    # The number of answers that a connection waits for.
    expected = {}

    def send_next(connection):
        """Sends the next request; returns the number of sent requests, 0 or 1."""
        request = next(unsent, None)
        if request is None:
            return 0
        connection.socket.sendall(request[0])
        expected[connection] = request[1]
        return 1

    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        in_flight += send_next(connection)
    while in_flight:
        for key, _ in selector.select(60):
            connection = key.data
            piece = connection.socket.recv(1 << 20)
            if not piece:
                raise ConnectionError("the server has closed the connection")
            connection.buffer += piece
            end = connection.parse(connection.buffer, expected[connection])
            if end:
                connection.buffer = connection.buffer[end:]
                in_flight += send_next(connection) - 1
    return time.perf_counter() - start
